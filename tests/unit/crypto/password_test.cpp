#include "crypto/password.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <fstream>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>
#include <unistd.h>

namespace usershell::crypto {
namespace {

constexpr PasswordCost tiny{1, 8192}; ///< libsodium's least
constexpr std::size_t mebibyte = 1048576;

/// For its lifetime this process may map at most `room` bytes more than it has now.
class ShortMemory {
public:
    explicit ShortMemory(std::size_t room) {
        std::size_t pages = 0;
        std::ifstream{"/proc/self/statm"} >> pages;
        getrlimit(RLIMIT_AS, &before_);
        const rlimit scarce{pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room,
                            before_.rlim_max};
        BOOST_REQUIRE(setrlimit(RLIMIT_AS, &scarce) == 0);
    }
    ~ShortMemory() { setrlimit(RLIMIT_AS, &before_); }
    ShortMemory(const ShortMemory&) = delete;
    ShortMemory& operator=(const ShortMemory&) = delete;

private:
    rlimit before_{};
};

/// The text before the hash itself, as the store gives it out.
std::string salt_and_cost(const std::string& stored) { return stored.substr(0, stored.rfind('$')); }

bool is_right(const PasswordHasher& hasher, const std::string& stored, std::string_view password) {
    return hasher.hash_with(salt_and_cost(stored), password) == stored;
}

BOOST_AUTO_TEST_SUITE(password)

BOOST_AUTO_TEST_CASE(the_right_password_and_no_other) {
    const PasswordHasher hasher{tiny};
    const auto stored = hasher.hash("correct horse");
    BOOST_TEST(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"));
    BOOST_TEST(is_right(hasher, stored, "correct horse"));
    for (const std::string wrong : {"", "correct hors", "correct horse ", "Correct horse"})
        BOOST_TEST(!is_right(hasher, stored, wrong));
}

BOOST_AUTO_TEST_CASE(two_hashes_of_a_password_differ) {
    const PasswordHasher hasher{tiny};
    BOOST_TEST(hasher.hash("same") != hasher.hash("same"));
}

BOOST_AUTO_TEST_CASE(odd_passwords) {
    const PasswordHasher hasher{tiny};
    const std::string with_zero{"a\0b", 3};
    BOOST_TEST(is_right(hasher, hasher.hash(""), std::string_view{}));
    BOOST_TEST(is_right(hasher, hasher.hash(std::string_view{}), ""));
    BOOST_TEST(is_right(hasher, hasher.hash(std::string(5000, 'x')), std::string(5000, 'x')));
    BOOST_TEST(is_right(hasher, hasher.hash(with_zero), with_zero));
    BOOST_TEST(!is_right(hasher, hasher.hash(with_zero), "a"));
}

BOOST_AUTO_TEST_CASE(garbage_gives_no_hash_at_all) {
    const PasswordHasher hasher{tiny};
    const auto good = salt_and_cost(hasher.hash("secret"));
    BOOST_TEST(!hasher.hash_with(good, "secret").empty());
    for (const std::string& garbage :
         {std::string{}, std::string{"x"}, std::string{"$argon2id$"}, hasher.usual_cost(),
          good + "$", good + "A", good.substr(0, good.size() - 1), std::string{"$5$rounds"}})
        BOOST_TEST(hasher.hash_with(garbage, "secret").empty(), garbage);
}

BOOST_AUTO_TEST_CASE(the_usual_cost_is_how_our_hashes_begin) {
    for (const PasswordCost cost : {tiny, PasswordCost{3, 65536 + 1000}}) {
        const PasswordHasher hasher{cost};
        BOOST_TEST(hasher.hash("secret").starts_with(hasher.usual_cost() + "$"));
    }
}

BOOST_AUTO_TEST_CASE(short_memory_is_no_wrong_password) {
    const PasswordHasher hasher{{1, 64 * mebibyte}};
    const auto stored = hasher.hash("right");
    {
        const ShortMemory scarce{16 * mebibyte};
        BOOST_CHECK_THROW(hasher.hash("right"), std::bad_alloc);
        BOOST_CHECK_THROW(is_right(hasher, stored, "right"), std::bad_alloc);
    }
    BOOST_TEST(is_right(hasher, stored, "right"));
}

BOOST_AUTO_TEST_CASE(rehash_when_the_setting_has_risen) {
    const auto stored = salt_and_cost(PasswordHasher{{2, 16384}}.hash("p"));
    const auto due = [&](PasswordCost cost) { return PasswordHasher{cost}.needs_rehash(stored); };
    BOOST_TEST(!due({2, 16384}));
    BOOST_TEST(!due({2, 16384 + 1023})); // Argon2 counts whole KiB
    BOOST_TEST(due({3, 16384}));
    BOOST_TEST(due({2, 17408}));
    BOOST_TEST(due({1, 32768}));
    BOOST_TEST(due({3, 8192}));
    BOOST_TEST(!due({1, 16384}));
    BOOST_TEST(!due({2, 8192}));
    BOOST_TEST(!due({1, 8192}));
}

BOOST_AUTO_TEST_CASE(rehash_what_is_no_argon2id) {
    const PasswordHasher hasher{tiny};
    for (const std::string stored :
         {"", "$argon2i$v=19$m=65536,t=9,p=1$YWFhYWFhYWFhYWFhYWFhYQ", "$argon2id$v=19$m=,t=1,p=1$",
          "$argon2id$v=19$m=8,t=", "$argon2id$v=19$m=8;t=1",
          "$argon2id$v=19$m=99999999999999999999,t=1,p=1$", "$2b$12$abcdefghijklmnopqrstuv"})
        BOOST_TEST(hasher.needs_rehash(stored), stored);
}

BOOST_AUTO_TEST_CASE(impossible_costs_are_refused) {
    BOOST_CHECK_THROW((PasswordHasher{{0, 8192}}), std::invalid_argument);
    BOOST_CHECK_THROW((PasswordHasher{{1, 8191}}), std::invalid_argument);
    BOOST_CHECK_THROW((PasswordHasher{{std::uint64_t{1} << 40, 8192}}), std::invalid_argument);
    BOOST_CHECK_THROW((PasswordHasher{tiny, 0}), std::invalid_argument);
}

BOOST_AUTO_TEST_CASE(many_threads_share_one) {
    const PasswordHasher hasher{tiny, 2};
    const auto stored = hasher.hash("shared");
    std::atomic<int> right{0};
    {
        std::vector<std::jthread> threads;
        threads.reserve(8);
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&] {
                for (int n = 0; n < 20; ++n)
                    right +=
                        is_right(hasher, stored, "shared") && !is_right(hasher, stored, "") ? 1 : 0;
            });
        }
    }
    BOOST_TEST(right == 160);
}

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
