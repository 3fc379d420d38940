#include "crypto/password.hpp"
#include "tests/unit/crypto/support.hpp"
#include <new>
namespace usershell::crypto {
namespace {
constexpr PasswordCost tiny{1, 8192}; ///< libsodium's least
constexpr std::size_t mebibyte = 1048576;
/// The size of the mapped memory, plus `room`.
rlim_t mapped_and(std::size_t room) {
    std::size_t pages = 0;
    std::ifstream{"/proc/self/statm"} >> pages;
    return rlim_t{pages} * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + room;
}
/// The text before the hash itself, as the store gives it out.
std::string salt_and_cost(const std::string& stored) { return stored.substr(0, stored.rfind('$')); }
bool is_right(const PasswordHasher& hasher, const std::string& stored, std::string_view password) {
    return hasher.hash_with(salt_and_cost(stored), password) == stored;
}
struct Cheap {
    PasswordHasher hasher{tiny};
};

BOOST_FIXTURE_TEST_CASE(a_password_is_hashed_in_one_form, Cheap) {
    const auto stored = hasher.hash("Cre\u0300me\u00a0bru\u0302le\u0301e");
    BOOST_TEST(is_right(hasher, stored, "Cr\u00e8me br\u00fbl\u00e9e"));
    BOOST_TEST(!is_right(hasher, stored, "Cre\u0300me\u00a0bru\u0302le\u0301e"));
}

BOOST_FIXTURE_TEST_CASE(the_right_password_and_no_other, Cheap) {
    const auto stored = hasher.hash("correct horse");
    BOOST_TEST(stored.starts_with("$argon2id$v=19$m=8,t=1,p=1$"));
    BOOST_TEST(is_right(hasher, stored, "correct horse"));
    for (const std::string wrong : {"", "correct hors", "correct horse ", "Correct horse"})
        BOOST_TEST(!is_right(hasher, stored, wrong));
    BOOST_TEST(hasher.hash("correct horse") != stored);
    const std::string with_zero{"a\0b", 3};
    BOOST_TEST(is_right(hasher, hasher.hash(with_zero), with_zero));
    BOOST_TEST(!is_right(hasher, hasher.hash(with_zero), "a"));
    BOOST_TEST(stored.starts_with(hasher.usual_cost() + "$"));
}

BOOST_FIXTURE_TEST_CASE(garbage_gives_no_hash_and_impossible_costs_are_refused, Cheap) {
    const auto good = salt_and_cost(hasher.hash("secret"));
    BOOST_TEST(!hasher.hash_with(good, "secret").empty());
    for (const std::string& garbage :
         {std::string{}, std::string{"x"}, std::string{"$argon2id$"}, hasher.usual_cost(),
          good + "$", good + "A", good.substr(0, good.size() - 1), std::string{"$5$rounds"}})
        BOOST_TEST(hasher.hash_with(garbage, "secret").empty(), garbage);
    BOOST_CHECK_THROW((PasswordHasher{{0, 8192}}), Error);
    BOOST_CHECK_THROW((PasswordHasher{{1, 8191}}), Error);
}

BOOST_FIXTURE_TEST_CASE(short_memory_is_no_wrong_password, Cheap) {
    const PasswordHasher large{{1, 64 * mebibyte}};
    const auto stored = large.hash("right");
    {
        const test::Limit scarce{RLIMIT_AS, mapped_and(16 * mebibyte)};
        BOOST_CHECK_THROW(large.hash("right"), std::bad_alloc);
        BOOST_CHECK_THROW(is_right(large, stored, "right"), std::bad_alloc);
    }
    BOOST_TEST(is_right(large, stored, "right"));
}

BOOST_FIXTURE_TEST_CASE(rehash_when_the_setting_has_risen_and_what_is_no_argon2id, Cheap) {
    const auto stored = salt_and_cost(PasswordHasher{{2, 16384}}.hash("p"));
    const auto due = [&](PasswordCost cost) { return PasswordHasher{cost}.needs_rehash(stored); };
    const PasswordCost risen[] = {{3, 8192}, {2, 17408}, {1, 32768}};
    for (const auto& cost : risen) BOOST_TEST(due(cost), cost.opslimit << " " << cost.memlimit);
    // Argon2 counts whole KiB
    const PasswordCost others[] = {{2, 16384 + 1023}, {1, 16384}, {2, 8192}};
    for (const auto& cost : others) BOOST_TEST(!due(cost), cost.opslimit << " " << cost.memlimit);
    for (const std::string other :
         {"", "$argon2i$v=19$m=65536,t=9,p=1$YWFhYWFhYWFhYWFhYWFhYQ", "$argon2id$v=19$m=,t=1,p=1$",
          "$argon2id$v=19$m=8,t=", "$argon2id$v=19$m=8;t=1",
          "$argon2id$v=19$m=99999999999999999999,t=1,p=1$", "$2b$12$abcdefghijklmnopqrstuv"})
        BOOST_TEST(hasher.needs_rehash(other), other);
}

} // namespace
} // namespace usershell::crypto
