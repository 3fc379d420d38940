#include "crypto/secret.hpp"
#include "tests/unit/test.hpp"
#include <cstring>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <type_traits>
namespace usershell::crypto {
namespace {
template <class Value>
concept Streamable = requires(std::ostream& out, const Value& value) {
    out << value;
};
template <class Value>
concept Comparable = requires(const Value& a, const Value& b) {
    a == b;
};
template <class Value>
concept Ordered = requires(const Value& a, const Value& b) {
    a < b;
};
static_assert(Streamable<std::string> && Comparable<std::string> && Ordered<std::string>,
              "the concepts see what they should");
static_assert(!std::is_copy_constructible_v<Secret> && !std::is_copy_assignable_v<Secret>);
static_assert(std::is_nothrow_move_constructible_v<Secret> &&
              std::is_nothrow_move_assignable_v<Secret>);
static_assert(!Streamable<Secret> && !Comparable<Secret> && !Ordered<Secret>);
static_assert(!std::is_convertible_v<Secret, std::string> &&
              !std::is_convertible_v<Secret, std::string_view> &&
              !std::is_convertible_v<Secret, const char*> && !std::is_convertible_v<Secret, bool>);
static_assert(!std::is_convertible_v<std::string, Secret> &&
              !std::is_convertible_v<const char*, Secret>);
static_assert(!std::is_constructible_v<SealedKey, SealedMail> &&
              !std::is_constructible_v<SealedKey, SealedAvatar> &&
              !std::is_constructible_v<SealedMail, SealedKey> &&
              !std::is_constructible_v<Secret, SealedKey>);
static_assert(!std::is_convertible_v<std::string, SealedKey> &&
              !std::is_convertible_v<SealedKey, std::string>);
static_assert(!Streamable<SealedKey> && !Streamable<SealedMail> && !Streamable<SealedAvatar>);
/// Reads freed memory, which AddressSanitizer would report.
__attribute__((no_sanitize_address)) bool is_left(const char* where, std::size_t size, char c) {
    for (std::size_t i = 0; i < size; ++i)
        if (where[i] == c) return true;
    return false;
}
/// Looks at all the memory that a string owns, also behind its end.
bool still_has(const std::string& text, char what) {
    return std::memchr(text.data(), what, text.capacity()) != nullptr;
}

BOOST_AUTO_TEST_CASE(take_wipes_the_string_also_behind_its_end) {
    for (const std::size_t size : {4U, 4000U}) {
        std::string plain(size, 'k');
        const char* const where = plain.data();
        const auto held = Secret::take(plain);
        BOOST_TEST((held.reveal() == std::string(size, 'k')));
        BOOST_TEST(plain.empty());
        BOOST_REQUIRE((plain.data() == where)); // still its own memory, so that we may look
        BOOST_TEST(!still_has(plain, 'k'));
    }
    std::string text(100, 's');
    text.resize(3);
    text.assign("abc");
    BOOST_REQUIRE(still_has(text, 's'));
    static_cast<void>(Secret::take(text));
    BOOST_TEST(text.empty());
    BOOST_TEST(!still_has(text, 's'));
}

BOOST_AUTO_TEST_CASE(moves_leave_nothing_behind_and_short_ones_are_wiped) {
    Secret first{"first"};
    Secret second{std::move(first)};
    BOOST_TEST(first.empty()); // NOLINT(bugprone-use-after-move)
    BOOST_TEST((second.reveal() == "first"));
    Secret third{"third"};
    third = std::move(second);
    BOOST_TEST(second.empty()); // NOLINT(bugprone-use-after-move)
    BOOST_TEST((third.reveal() == "first"));
    for (const std::size_t size : {1U, 64U, 512U}) {
        const char* where = nullptr;
        {
            const Secret held{std::string(size, 'k')};
            where = held.reveal().data();
        }
        BOOST_TEST(!is_left(where, size, 'k')); // shared memory, which stays
        BOOST_TEST((Secret{"s"}.reveal().data() == where));
    }
}

BOOST_AUTO_TEST_CASE(the_process_dumps_no_core) {
    rlimit limit{1, 1};
    BOOST_REQUIRE(getrlimit(RLIMIT_CORE, &limit) == 0);
    BOOST_TEST(limit.rlim_cur == 0U);
    BOOST_TEST(limit.rlim_max == 0U);
#ifndef USERSHELL_SANITIZED
    BOOST_TEST(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
#endif
}
} // namespace
} // namespace usershell::crypto
