// Ring files: what is read, and what is refused with file and line and without a key; how rings are
// made, and copied.
#include "crypto/ring/files.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/ring/ring_text.hpp"
#include "tests/unit/crypto/support.hpp"
namespace usershell::crypto {
namespace {
using test::counting;
using test::TemporaryFolder;
using test::to_base64;
const std::string when = "2024-02-29T23:59:59Z";
std::string line(const std::string& id, std::string_view key, const std::string& status) {
    return id + " " + to_base64(key) + " " + when + " " + status + "\n";
}
struct Pieces {
    TemporaryFolder folder;
    InstallationId ours = test::some_installation();
    InstallationId theirs = test::another_installation();
    Secret secret_a{counting(32)};
    Secret secret_b{counting(32, 100)};
    std::string id_a = id_in(RingRole::vault, secret_a);
    std::string id_b = id_in(RingRole::vault, secret_b);
    std::string line_a = line(id_a, secret_a.reveal(), "active");
    std::string id_in(RingRole role, const Secret& secret) const {
        return fingerprint(role, ours, public_half(role, secret)).text();
    }
    std::string heading() const { return heading("vault secret " + ours.text()); }
    static std::string heading(const std::string& words) {
        return "usershell-ring 1 " + words + "\n";
    }
};
using Load = std::function<void(const std::filesystem::path&)>;
template <class Ring>
void load(const std::filesystem::path& file) {
    load_ring<Ring>(file);
}
std::string error_of(const Load& load, const std::filesystem::path& file) {
    try {
        load(file);
    } catch (const RingError& error) {
        return error.what();
    }
    return "loaded";
}

BOOST_FIXTURE_TEST_CASE(reads_a_ring_of_two, Pieces) {
    const auto file =
        folder.write("ring", "# a comment\n\n" + heading() + line(id_b, secret_b.reveal(), "kept") +
                                 "#\n" + line_a.substr(0, line_a.size() - 1));
    const auto ring = load_ring<VaultSecret>(file);
    BOOST_TEST(ring.installation.text() == ours.text());
    BOOST_TEST(ring.active.text() == id_a);
    BOOST_REQUIRE(ring.keys.size() == 2U);
    BOOST_TEST((ring.keys.at(*RingKeyId::parse(id_a)).reveal() == secret_a.reveal()));
    BOOST_TEST((ring.keys.at(*RingKeyId::parse(id_b)).reveal() == secret_b.reveal()));
}

BOOST_FIXTURE_TEST_CASE(refuses_malformed_files, Pieces) {
    const auto with = [this](std::string_view what, const std::string& other) {
        auto changed = line_a;
        return changed.replace(changed.find(what), what.size(), other);
    };
    const auto key_a = to_base64(secret_a.reveal());
    const std::string head = heading();
    const auto second_a = line(id_a, secret_a.reveal(), "kept");
    // The sentence after the file's name.
    const std::pair<std::string, std::vector<std::string>> cases[] = {
        {": this is no ring file.", {"", "# nothing but this\n"}},
        {" line 1: a ring file begins with: usershell-ring 1 ROLE",
         {line_a, heading("vault secret"), heading("vault secret " + ours.text() + " more")}},
        {" line 1: the installation is not a UUID", {heading("vault secret none")}},
        {": no key is active.", {head, head + second_a}},
        {" line 3: a second key", {head + line_a + line(id_b, secret_b.reveal(), "active")}},
        {" line 3: the id appears", {head + line_a + second_a}},
        {" line 2: a line is ID KEY CREATED active|kept",
         {head + with(" active", ""), head + " " + line_a}},
        {" line 2: the status is neither",
         {head + line(id_a, secret_a.reveal(), "revoked"), head + with("active\n", "active\r\n")}},
        {" line 2: the id is not",
         {head + with(id_a, id_a.substr(1)), head + with(id_a, "G" + id_a.substr(1))}},
        {" line 2: the key is not 32",
         {head + with(key_a, to_base64(counting(31))), head + with(key_a, to_base64(counting(33))),
          head + with(key_a, "*" + key_a.substr(1))}},
        {" line 2: the time is not",
         {head + with(when, "2023-02-29T23:59:59Z"), head + with(when, "2024-02-29T24:00:00Z"),
          head + with(when, "2024-02-29T23:59:59+00:00")}},
    };
    for (const auto& [expected, texts] : cases)
        for (const auto& text : texts) {
            const auto file = folder.write("ring", text);
            const auto error = error_of(load<VaultSecret>, file);
            BOOST_TEST(error.starts_with(file.string() + expected), text << " gave: " << error);
            BOOST_TEST(!has(error, key_a.substr(0, 8)), error);
        }
}

BOOST_FIXTURE_TEST_CASE(a_file_of_another_ring_is_refused, Pieces) {
    test::write_rings(folder);
    const std::pair<Load, std::string> wanted[] = {
        {load<VaultSecret>, "web secret"},  {load<VaultPublic>, "vault secret"},
        {load<WebSecret>, "vault secret"},  {load<WebPublic>, "mail public"},
        {load<AuthSecret>, "web secret"},   {load<AuthPublic>, "web public"},
        {load<MailSecret>, "vault secret"}, {load<MailPublic>, "web public"}};
    for (auto [load, given] : wanted) {
        given.replace(given.find(' '), 1, ".");
        const auto error = error_of(load, folder.path() / given);
        BOOST_TEST(has(error, "this is not the "), given << ": " << error);
    }
}

// The heading may be edited along with the file: then no id fits its key any more.
BOOST_FIXTURE_TEST_CASE(a_key_must_be_the_one_that_its_id_names, Pieces) {
    const auto vault_public = public_half(RingRole::vault, secret_a);
    const std::tuple<const char*, Load, std::string> cases[] = {
        {"another key's id", load<VaultSecret>,
         heading() + line(id_b, secret_a.reveal(), "active")},
        {"of another installation", load<VaultSecret>,
         heading("vault secret " + theirs.text()) + line_a},
        {"a seed where a secret key belongs", load<VaultSecret>,
         heading() + line(id_in(RingRole::web, secret_a), secret_a.reveal(), "active")},
        {"the public half in a secret file", load<VaultSecret>,
         heading() + line(id_a, vault_public, "active")},
    };
    for (const auto& [what, load, text] : cases) {
        const auto error = error_of(load, folder.write("ring", text));
        BOOST_TEST(error.ends_with(" line 2: the key is not the one that its id names."),
                   what << ": " << error);
    }
}

BOOST_FIXTURE_TEST_CASE(a_public_key_that_nobody_may_use_is_refused, Pieces) {
    const std::string zeros(32, '\0');
    const auto high = [](char last) {
        return std::string(31, '\xff').replace(0, 1, 1, last) + '\x7f';
    };
    const std::tuple<const char*, RingRole, std::string> cases[] = {
        {"0", RingRole::vault, zeros},
        {"order 8", RingRole::vault,
         test::from_hex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")},
        {"p - 1", RingRole::mail, high('\xec')},
        {"p + 9, the base point once more", RingRole::vault, high('\xf6')},
        {"with its highest bit set", RingRole::vault, "\t" + zeros.substr(2) + '\x80'},
        {"Ed25519: the neutral element", RingRole::web, "\1" + zeros.substr(1)},
        {"Ed25519: not canonical", RingRole::web, high('\xee')},
    };
    for (const auto& [what, role, key] : cases) {
        const auto text = heading(std::string{name_of(role)} + " public " + ours.text()) +
                          line(fingerprint(role, ours, key).text(), key, "active");
        const auto file = folder.write("ring", text);
        const auto error = error_of(role == RingRole::vault  ? Load{load<VaultPublic>}
                                    : role == RingRole::mail ? Load{load<MailPublic>}
                                                             : Load{load<WebPublic>},
                                    file);
        BOOST_TEST(error.ends_with(" line 2: the key can't be used."), what << ": " << error);
    }
    BOOST_TEST(is_usable_public_key(RingRole::vault, "\t" + zeros.substr(1))); // the base point
    BOOST_TEST(!is_usable_public_key(RingRole::vault, "short"));
}

BOOST_FIXTURE_TEST_CASE(refuses_files_that_cannot_be_read, Pieces) {
    BOOST_TEST(error_of(load<VaultSecret>, "") == "The setting vault-secret is not set.");
    const auto huge = folder.write("huge", std::string(64 * 1024 + 1, '#'));
    for (const std::filesystem::path& file :
         {folder.path() / "none", folder.path(), std::filesystem::path{"/dev/zero"}, huge})
        BOOST_TEST(has(error_of(load<VaultSecret>, file), "can't be read"));
}

BOOST_FIXTURE_TEST_CASE(who_may_reach_a_file, Pieces) {
    constexpr uid_t self = 1000;
    constexpr uid_t another = 1001;
    const std::tuple<bool, uid_t, mode_t, std::string> cases[] = {
        {true, 0, 0440, ""}, // systemd's, with an access list
        {true, self, 0640, ""},
        {false, 0, 0644, ""},
        {true, another, 0400, "another user"},
        {false, another, 0644, "another user"},
        {true, 0, 0660, "group may write"},
        {false, 0, 0646, "everybody may write"},
        {true, 0, 0444, "everybody may read"},
        {true, self, 0601, "everybody may read"},
    };
    for (const auto& [secret, owner, mode, fault] : cases) {
        const auto found = access_fault(secret, owner, self, mode);
        BOOST_TEST_CONTEXT(secret << " " << owner << " " << std::oct << mode)
        BOOST_TEST((fault.empty() ? found.empty() : has(found, fault)), found);
    }
    const auto file = folder.write("ring", heading() + line_a, 0644);
    BOOST_TEST(has(error_of(load<VaultSecret>, file), "everybody may"));
}

BOOST_FIXTURE_TEST_CASE(ids_are_fingerprints, Pieces) {
    const test::Vectors vectors;
    for (const auto role : all_ring_roles) {
        const std::string name{name_of(role)};
        const Secret secret{vectors.bytes(name + (signs(role) ? " seed" : " secret key"))};
        const auto half = public_half(role, secret);
        BOOST_TEST((half == vectors.bytes(name + " public key")));
        BOOST_TEST(fingerprint(role, ours, half).text() == vectors.text(name + " key id"));
    }
}

BOOST_FIXTURE_TEST_CASE(who_opens_or_verifies_has_no_other_ring_for_the_active_key, Pieces) {
    const auto one = RingKeyId::from_bytes(std::string(16, 'a'));
    const auto other = RingKeyId::from_bytes(std::string(16, 'b'));
    const RingSummary files{RingRole::vault, ours, one, {one, other}};
    for (const bool uses_active : {true, false}) {
        RingSummary found{RingRole::vault, ours, one, {one, other}, uses_active};
        BOOST_TEST(is_fingerprint_of(fingerprint_of(found), files));
        found.active = other;
        BOOST_TEST(is_fingerprint_of(fingerprint_of(found), files) == !uses_active);
        found.ids.pop_back();
        BOOST_TEST(!is_fingerprint_of(fingerprint_of(found), files));
    }
    BOOST_TEST(summary_of(VaultPublic{ours, one, {}}).uses_active);
    BOOST_TEST(!summary_of(VaultSecret{ours, one, {}}).uses_active);
    BOOST_TEST(summary_of(WebSecret{ours, one, {}}).uses_active);
    BOOST_TEST(!summary_of(WebPublic{ours, one, {}}).uses_active);
    BOOST_TEST(summary_of(AuthSecret{ours, one, {}}).uses_active);
    BOOST_TEST(!summary_of(AuthPublic{ours, one, {}}).uses_active);
    BOOST_TEST(summary_of(MailPublic{ours, one, {}}).uses_active);
    BOOST_TEST(!summary_of(MailSecret{ours, one, {}}).uses_active);
}

BOOST_FIXTURE_TEST_CASE(web_keys_depend_on_seed_purpose_and_user, Pieces) {
    const test::Vectors vectors;
    const Secret seed{vectors.bytes("web seed")};
    const auto key = derive_ring_key(seed, "avatar", vectors.text("owner"));
    BOOST_TEST((key.reveal() == vectors.bytes("avatar key")));
    const auto same = [&key](const Secret& made) { return key.reveal() == made.reveal(); };
    BOOST_TEST(!same(derive_ring_key(secret_b, "avatar", vectors.text("owner"))));
    BOOST_TEST(!same(derive_ring_key(seed, "avatar", "bert")));
    BOOST_TEST(!same(derive_ring_key(seed, "avatar5", vectors.text("owner").substr(1))));
    BOOST_CHECK_THROW(derive_ring_key(Secret{"short"}, "avatar"), Error);
}

using test::TemporaryFolder;
constexpr const char* names[] = {"vault.secret", "vault.public", "web.secret",  "web.public",
                                 "auth.secret",  "auth.public",  "mail.secret", "mail.public"};
std::ptrdiff_t files_in(const TemporaryFolder& folder) {
    return std::distance(std::filesystem::directory_iterator{folder.path()}, {});
}
void make(const TemporaryFolder& folder) { NewRings{folder.path(), test::some_installation()}; }
struct FullDisk {
    FullDisk() { static_cast<void>(std::signal(SIGXFSZ, SIG_IGN)); } // so that write(2) fails
    test::Limit small{RLIMIT_FSIZE, 200}; // a comment, a heading and half a key
};

BOOST_AUTO_TEST_CASE(modes_do_not_hang_on_the_umask) {
    for (const mode_t mask : {0000U, 0777U}) {
        const TemporaryFolder folder;
        const mode_t before = umask(mask);
        test::write_rings(folder);
        umask(before);
        for (const std::string name : names)
            BOOST_TEST((status(folder.path() / name).permissions() ==
                        std::filesystem::perms{name.ends_with(".secret") ? 0600U : 0644U}),
                       name);
        BOOST_TEST(files_in(folder) == std::ssize(names));
    }
}

BOOST_AUTO_TEST_CASE(any_file_that_is_there_stops_it) {
    for (const auto* const name : names) {
        const TemporaryFolder folder;
        const auto mine = folder.write(name, "mine");
        BOOST_CHECK_EXCEPTION(make(folder), RingError, [&](const RingError& error) {
            return has(error.what(), mine.string());
        });
        BOOST_TEST(files_in(folder) == 1);
        BOOST_TEST(test::read(mine) == "mine");
    }
    const TemporaryFolder linked;
    std::filesystem::create_symlink(linked.path() / "elsewhere", linked.path() / "web.secret");
    BOOST_CHECK_THROW(make(linked), RingError);
    BOOST_TEST(files_in(linked) == 1);
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_nothing_half_written) {
    const TemporaryFolder folder;
    {
        const FullDisk full;
        BOOST_CHECK_THROW(make(folder), RingError);
    }
    BOOST_TEST(files_in(folder) == 0);
}

BOOST_AUTO_TEST_CASE(a_ring_that_cannot_be_replaced_stays) {
    const TemporaryFolder folder;
    test::write_rings(folder);
    RingFiles ring{RingRole::mail, folder.path()};
    ring.add();
    const auto before = test::read(folder.path() / "mail.secret");
    const FullDisk full;
    BOOST_CHECK_THROW(ring.save(), RingError);
    BOOST_TEST(test::read(folder.path() / "mail.secret") == before);
}

BOOST_AUTO_TEST_CASE(a_ring_that_lies_encrypted_is_looked_at_and_not_changed) {
    const TemporaryFolder folder;
    test::write_rings(folder);
    const auto id = RingFiles{RingRole::vault, folder.path()}.summary().active;
    std::filesystem::rename(folder.path() / "vault.secret", folder.path() / "vault.secret.cred");
    RingFiles ring{RingRole::vault, folder.path()};
    BOOST_TEST((ring.summary().active == id));
    BOOST_CHECK_THROW(ring.add(), RingError);
    BOOST_CHECK_THROW(ring.activate(id), RingError);
    BOOST_CHECK_THROW(ring.text(false), RingError);
    BOOST_CHECK_THROW(ring.save(), RingError);
}

struct Copied {
    Copied() {
        test::write_rings(from);
        write_ring_copy(from.path(), file, passphrase);
    }
    std::vector<RingFiles> read(const std::string& with = "a good passphrase") const {
        return read_ring_copy(file, Secret{with}, to.path());
    }
    mode_t mode_of(const std::filesystem::path& path) const {
        struct stat status {};
        stat(path.c_str(), &status);
        return status.st_mode & 07777U;
    }
    TemporaryFolder from, to, between;
    std::filesystem::path file = between.path() / "rings";
    Secret passphrase{"a good passphrase"};
};

BOOST_FIXTURE_TEST_SUITE(ring_copy, Copied)

BOOST_AUTO_TEST_CASE(the_same_files_are_made_elsewhere_or_put_in_place_of_others) {
    BOOST_TEST(mode_of(file) == 0600U);
    const auto rings = read();
    const auto save_and_compare = [&](mode_t mode_of_secret) {
        for (const auto& ring : rings) ring.save();
        for (const auto role : all_ring_roles) {
            for (const bool secret : {true, false}) {
                const auto name = ring_file_name(role, secret);
                BOOST_TEST(test::read(to.path() / name) == test::read(from.path() / name));
                BOOST_TEST(mode_of(to.path() / name) == (secret ? mode_of_secret : 0644U));
            }
        }
    };
    save_and_compare(0600);
    for (const auto role : all_ring_roles) to.write(ring_file_name(role, true), "older", 0640);
    save_and_compare(0640);
}

BOOST_AUTO_TEST_CASE(is_never_written_over_a_file) {
    BOOST_CHECK_THROW(write_ring_copy(from.path(), file, passphrase), RingError);
}

BOOST_AUTO_TEST_CASE(opens_with_its_passphrase_alone_and_unchanged) {
    BOOST_CHECK_THROW(read("another passphrase"), RingError);
    std::string bytes = test::read(file);
    BOOST_TEST(bytes.find("usershell-ring 1 ") == std::string::npos);
    bytes.back() ^= 1;
    between.write("rings", bytes);
    BOOST_CHECK_THROW(read(), RingError);
    between.write("rings", bytes.substr(0, 60));
    BOOST_CHECK_THROW(read(), RingError);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
