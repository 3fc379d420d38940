#include "crypto/ring.hpp"

#include "crypto/signing.hpp"
#include "support.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>

#include <sodium.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace usershell::crypto {
namespace {

using test::mode_of;
using test::TemporaryFolder;

constexpr const char* names[] = {"vault.secret", "vault.public", "web.secret", "web.public"};

std::ptrdiff_t files_in(const TemporaryFolder& folder) {
    return std::distance(std::filesystem::directory_iterator{folder.path()}, {});
}

class Umask {
public:
    explicit Umask(mode_t mask) : before_{umask(mask)} {}
    ~Umask() { umask(before_); }
    Umask(const Umask&) = delete;
    Umask& operator=(const Umask&) = delete;

private:
    mode_t before_;
};

/// No file may become longer than `size` bytes.
class SmallFiles {
public:
    explicit SmallFiles(rlim_t size) {
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit small{size, before_.rlim_max};
        BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
    }
    ~SmallFiles() {
        setrlimit(RLIMIT_FSIZE, &before_);
        static_cast<void>(std::signal(SIGXFSZ, handler_));
    }
    SmallFiles(const SmallFiles&) = delete;
    SmallFiles& operator=(const SmallFiles&) = delete;

private:
    rlimit before_{};
    void (*handler_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

BOOST_AUTO_TEST_SUITE(ring_create)

BOOST_AUTO_TEST_CASE(the_halves_belong_together) {
    const auto rings = test::new_rings();
    BOOST_TEST(rings.vault_public.active == rings.vault_secret.active);
    BOOST_TEST(rings.web_public.active == rings.web_secret.active);
    BOOST_TEST(rings.vault_public.active != rings.web_public.active);
    BOOST_REQUIRE(rings.vault_secret.keys.size() == 1U);
    BOOST_REQUIRE(rings.web_secret.seeds.size() == 1U);

    const auto& vault = rings.vault_secret.keys.at(rings.vault_secret.active);
    std::string derived(32, '\0');
    crypto_scalarmult_base(reinterpret_cast<unsigned char*>(derived.data()),
                           reinterpret_cast<const unsigned char*>(vault.reveal().data()));
    BOOST_TEST((derived == rings.vault_public.public_key));

    const auto& seed = rings.web_secret.seeds.at(rings.web_secret.active);
    BOOST_TEST((derive_signing_pair(seed).public_key ==
                rings.web_public.verify_keys.at(rings.web_public.active)));
}

BOOST_AUTO_TEST_CASE(no_two_rings_are_alike) {
    const auto one = test::new_rings();
    const auto other = test::new_rings();
    BOOST_TEST(one.vault_public.active != other.vault_public.active);
    BOOST_TEST((one.vault_public.public_key != other.vault_public.public_key));
    BOOST_TEST((one.web_public.verify_keys != other.web_public.verify_keys));
}

BOOST_AUTO_TEST_CASE(modes_do_not_hang_on_the_umask) {
    for (const mode_t mask : {0000U, 0022U, 0077U, 0777U}) {
        const TemporaryFolder folder;
        const Umask umask{mask};
        create_rings(folder.path());
        BOOST_TEST(mode_of(folder.path() / "vault.secret") == 0600U);
        BOOST_TEST(mode_of(folder.path() / "web.secret") == 0600U);
        BOOST_TEST(mode_of(folder.path() / "vault.public") == 0644U);
        BOOST_TEST(mode_of(folder.path() / "web.public") == 0644U);
        BOOST_TEST(files_in(folder) == 4);
    }
}

BOOST_AUTO_TEST_CASE(public_files_hold_no_secret) {
    const TemporaryFolder folder;
    create_rings(folder.path());
    const auto vault = load_vault_secret(folder.path() / "vault.secret");
    const auto web = load_web_secret(folder.path() / "web.secret");
    for (const auto* const name : {"vault.public", "web.public"}) {
        const auto text = test::read(folder.path() / name);
        BOOST_TEST(text.find(test::to_base64(vault.keys.at(vault.active).reveal())) ==
                   std::string::npos);
        BOOST_TEST(text.find(test::to_base64(web.seeds.at(web.active).reveal())) ==
                   std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(any_file_that_is_there_stops_it) {
    for (const auto* const name : names) {
        const TemporaryFolder folder;
        const auto mine = folder.write(name, "mine");
        BOOST_CHECK_EXCEPTION(create_rings(folder.path()), RingError, [&](const RingError& error) {
            return std::string{error.what()}.find(mine.string()) != std::string::npos;
        });
        BOOST_TEST(files_in(folder) == 1);
        BOOST_TEST(test::read(mine) == "mine");
    }
}

BOOST_AUTO_TEST_CASE(a_dangling_link_is_not_followed) {
    const TemporaryFolder folder;
    std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "web.secret");
    BOOST_CHECK_THROW(create_rings(folder.path()), RingError);
    BOOST_TEST(files_in(folder) == 1);
}

BOOST_AUTO_TEST_CASE(a_missing_folder_is_not_made) {
    const TemporaryFolder folder;
    BOOST_CHECK_THROW(create_rings(folder.path() / "none"), RingError);
    BOOST_TEST(files_in(folder) == 0);
}

BOOST_AUTO_TEST_CASE(a_full_disk_leaves_nothing_half_written) {
    const TemporaryFolder folder;
    {
        const SmallFiles small{90};
        BOOST_CHECK_THROW(create_rings(folder.path()), RingError);
    }
    BOOST_TEST(files_in(folder) == 0);
    create_rings(folder.path());
    BOOST_TEST(files_in(folder) == 4);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
