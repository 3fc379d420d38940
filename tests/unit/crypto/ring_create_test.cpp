#include "tests/unit/crypto/support.hpp"
namespace usershell::crypto {
namespace {
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
} // namespace
} // namespace usershell::crypto
