#include "crypto/ring/files.hpp"

#include "tests/unit/crypto/support.hpp"

#include <boost/test/unit_test.hpp>

#include <filesystem>
#include <string>

#include <sys/stat.h>

namespace usershell::crypto {
namespace {

using test::TemporaryFolder;

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
