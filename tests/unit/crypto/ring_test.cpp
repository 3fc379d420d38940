#include "crypto/ring.hpp"

#include "support.hpp"

#include <boost/test/unit_test.hpp>

#include <functional>
#include <string>
#include <vector>

namespace usershell::crypto {
namespace {

using test::counting;
using test::TemporaryFolder;
using test::to_base64;

const std::string id_a = "00112233445566aa";
const std::string id_b = "ffeeddccbbaa9988";
const std::string key_a = to_base64(counting(32));
const std::string key_b = to_base64(counting(32, 100));
const std::string when = "2024-02-29T23:59:59Z";

std::string line(const std::string& id, const std::string& key, const std::string& status) {
    return id + " " + key + " " + when + " " + status + "\n";
}

using Load = std::function<void(const std::filesystem::path&)>;
const Load vault_secret = [](const auto& file) { load_vault_secret(file); };
const Load vault_public = [](const auto& file) { load_vault_public(file); };
const Load web_secret = [](const auto& file) { load_web_secret(file); };
const Load web_public = [](const auto& file) { load_web_public(file); };

std::string error_of(const Load& load, const std::filesystem::path& file) {
    try {
        load(file);
    } catch (const RingError& error) {
        return error.what();
    }
    return "loaded";
}

/// Each must be refused with a sentence that begins with the file and goes on with `expected`.
struct Refused {
    std::string text;
    std::string expected;
};

void check_refused(const Load& load, const std::vector<Refused>& cases) {
    const TemporaryFolder folder;
    for (const auto& [text, expected] : cases) {
        const auto file = folder.write("ring", text);
        const auto error = error_of(load, file);
        BOOST_TEST(error.starts_with(file.string() + expected), text << " gave: " << error);
        for (const auto& key : {key_a, key_b})
            BOOST_TEST(error.find(key.substr(0, 8)) == std::string::npos);
    }
}

BOOST_AUTO_TEST_SUITE(ring)

BOOST_AUTO_TEST_CASE(reads_a_ring_of_two) {
    const TemporaryFolder folder;
    const auto text = "# a comment\n\n" + line(id_a, key_a, "kept") + line(id_b, key_b, "active");
    const auto file = folder.write("ring", text);

    const auto vault = load_vault_secret(file);
    BOOST_TEST(vault.active == id_b);
    BOOST_REQUIRE(vault.keys.size() == 2U);
    BOOST_TEST((vault.keys.at(id_a).reveal() == counting(32)));
    BOOST_TEST((vault.keys.at(id_b).reveal() == counting(32, 100)));

    const auto web = load_web_secret(file);
    BOOST_TEST(web.active == id_b);
    BOOST_TEST((web.seeds.at(id_a).reveal() == counting(32)));

    const auto verify = load_web_public(file);
    BOOST_TEST(verify.active == id_b);
    BOOST_TEST((verify.verify_keys.at(id_a) == counting(32)));
    BOOST_TEST((verify.verify_keys.at(id_b) == counting(32, 100)));
}

BOOST_AUTO_TEST_CASE(reads_the_public_vault_key) {
    const TemporaryFolder folder;
    const auto vault = load_vault_public(folder.write("ring", id_a + " " + key_a)); // no newline
    BOOST_TEST(vault.active == id_a);
    BOOST_TEST((vault.public_key == counting(32)));
}

BOOST_AUTO_TEST_CASE(refuses_malformed_lines) {
    const auto good = line(id_a, key_a, "active");
    const auto with_time = [](const std::string& time) {
        return id_a + " " + key_a + " " + time + " active\n";
    };
    const std::vector<Refused> cases{
        {"", ": no key is active."},
        {"# nothing but this\n", ": no key is active."},
        {line(id_a, key_a, "kept"), ": no key is active."},
        {good + line(id_b, key_b, "active"), " line 2: a second key is active."},
        {good + line(id_a, key_b, "kept"), " line 2: the id appears twice."},
        {good + good, " line 2: a second key is active."},
        {"#\n\n" + line(id_a, key_a, "revoked"), " line 3: the status is neither"},
        {line(id_a, key_a, "Active"), " line 1: the status is neither"},
        {id_a + " " + key_a + " " + when + " active\r\n", " line 1: the status is neither"},
        {id_a + " " + key_a + " active\n", " line 1: a line is ID KEY CREATED active|kept"},
        {id_a + " " + key_a + "\n", " line 1: a line is"},
        {id_a + "\n", " line 1: a line is"},
        {" " + good, " line 1: a line is"},
        {id_a + "  " + key_a + " " + when + " active\n", " line 1: a line is"},
        {id_a + "\t" + key_a + "\t" + when + "\tactive\n", " line 1: a line is"},
        {good.substr(0, good.size() - 1) + " more\n", " line 1: a line is"},
        {line("00112233445566a", key_a, "active"), " line 1: the id is not"},
        {line("00112233445566aaa", key_a, "active"), " line 1: the id is not"},
        {line("00112233445566AA", key_a, "active"), " line 1: the id is not"},
        {line("00112233445566ag", key_a, "active"), " line 1: the id is not"},
        {line(id_a, to_base64(counting(31)), "active"), " line 1: the key is not 32 bytes"},
        {line(id_a, to_base64(counting(33)), "active"), " line 1: the key is not 32 bytes"},
        {line(id_a, to_base64(counting(64)), "active"), " line 1: the key is not 32 bytes"},
        {line(id_a, key_a.substr(0, 43), "active"), " line 1: the key is not 32 bytes"},
        {line(id_a, key_a + "=", "active"), " line 1: the key is not 32 bytes"},
        {line(id_a, "*" + key_a.substr(1), "active"), " line 1: the key is not 32 bytes"},
        {line(id_a, std::string(43, '_') + "=", "active"), " line 1: the key is not 32 bytes"},
        {with_time("2023-02-29T23:59:59Z"), " line 1: the time is not"},
        {with_time("2024-02-29T24:00:00Z"), " line 1: the time is not"},
        {with_time("2024-02-29T23:60:00Z"), " line 1: the time is not"},
        {with_time("2024-02-29T23:00:60Z"), " line 1: the time is not"},
        {with_time("2024-00-10T00:00:00Z"), " line 1: the time is not"},
        {with_time("2024-13-10T00:00:00Z"), " line 1: the time is not"},
        {with_time("2024-02-29T23:59:59+00:00"), " line 1: the time is not"},
        {with_time("2024-02-29T23:59:59"), " line 1: the time is not"},
        {with_time("2024-02-29"), " line 1: the time is not"},
        {with_time("2o24-02-29T23:59:59Z"), " line 1: the time is not"},
    };
    for (const auto& load : {vault_secret, web_secret, web_public}) check_refused(load, cases);
}

BOOST_AUTO_TEST_CASE(refuses_a_public_vault_file_that_is_not_one_key) {
    const auto one = id_a + " " + key_a + "\n";
    check_refused(vault_public,
                  {{"", ": no key is active."},
                   {one + id_b + " " + key_b + "\n", " line 2: a second key is active."},
                   {line(id_a, key_a, "active"), " line 1: a line is ID KEY,"},
                   {id_a + " " + to_base64(counting(31)) + "\n", " line 1: the key is not"},
                   {"x " + key_a + "\n", " line 1: the id is not"}});
}

BOOST_AUTO_TEST_CASE(refuses_files_that_cannot_be_read) {
    const TemporaryFolder folder;
    for (const auto& load : {vault_secret, vault_public, web_secret, web_public}) {
        BOOST_TEST(error_of(load, folder.path() / "none").find("can't be read") !=
                   std::string::npos);
        BOOST_TEST(error_of(load, folder.path()).find("can't be read") != std::string::npos);
        BOOST_TEST(error_of(load, "/dev/zero").find("can't be read") != std::string::npos);
    }
    const auto huge = folder.write("ring", std::string(64 * 1024 + 1, '#'));
    BOOST_TEST(error_of(vault_secret, huge).find("can't be read") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(refuses_a_secret_that_everybody_can_reach) {
    const TemporaryFolder folder;
    const auto loads = [&](const Load& load, const std::string& text, mode_t mode) {
        const auto error = error_of(load, folder.write("ring", text, mode));
        if (error != "loaded") BOOST_TEST(error.find("everybody may") != std::string::npos, error);
        return error == "loaded";
    };
    const auto text = line(id_a, key_a, "active");
    for (const mode_t mode : {0400U, 0600U, 0440U, 0640U}) {
        BOOST_TEST(loads(vault_secret, text, mode));
        BOOST_TEST(loads(web_secret, text, mode));
    }
    for (const mode_t mode : {0444U, 0644U, 0604U, 0602U, 0601U, 0666U}) {
        BOOST_TEST(!loads(vault_secret, text, mode));
        BOOST_TEST(!loads(web_secret, text, mode));
    }
    BOOST_TEST(loads(web_public, text, 0644));
    BOOST_TEST(!loads(web_public, text, 0646));
    BOOST_TEST(loads(vault_public, id_a + " " + key_a, 0644));
    BOOST_TEST(!loads(vault_public, id_a + " " + key_a, 0666));
}

BOOST_AUTO_TEST_CASE(web_keys_are_stable) {
    // computed with another implementation of BLAKE2b (Python's hashlib)
    const Secret seed{counting(32)};
    BOOST_TEST(
        (derive_web_key(seed, "avatar", "anna").reveal() ==
         test::from_hex("a2fb0cf6131d88c3081f3f24da04f42fb4a4e3418ccbe1f7edf4759130658f90")));
    BOOST_TEST(
        (derive_web_key(seed, "sign").reveal() ==
         test::from_hex("b123f10723f20a3a7f294375a00991d18c8846984d651c7584200bdbbd7888de")));
}

BOOST_AUTO_TEST_CASE(web_keys_depend_on_seed_purpose_and_user) {
    const Secret seed{counting(32)};
    const Secret other{counting(32, 1)};
    const auto key = derive_web_key(seed, "avatar", "anna");
    const auto same = [&key](const Secret& made) { return key.reveal() == made.reveal(); };
    BOOST_TEST(same(derive_web_key(seed, "avatar", "anna")));
    BOOST_TEST(!same(derive_web_key(other, "avatar", "anna")));
    BOOST_TEST(!same(derive_web_key(seed, "avatar", "bert")));
    BOOST_TEST(!same(derive_web_key(seed, "avatar")));
    BOOST_TEST(!same(derive_web_key(seed, "avatara", "nna")));
    BOOST_CHECK_THROW(derive_web_key(Secret{"short"}, "avatar"), std::invalid_argument);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
