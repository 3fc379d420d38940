#include "crypto/secret.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <ostream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <sys/prctl.h>
#include <sys/resource.h>

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
static_assert(!std::is_constructible_v<std::string, Secret> &&
              !std::is_constructible_v<std::string_view, Secret>);
static_assert(!std::is_convertible_v<std::string, Secret> &&
              !std::is_convertible_v<const char*, Secret>);

template <class To, class From>
constexpr bool mixes = std::is_constructible_v<To, From> || std::is_assignable_v<To&, From> ||
                       std::is_convertible_v<From, To>;

template <class One, class Other>
constexpr bool apart = !mixes<One, Other> && !mixes<Other, One>;

static_assert(mixes<SealedKey, SealedKey> && mixes<SealedMail, SealedMail>);
static_assert(apart<SealedKey, SealedAvatar> && apart<SealedMail, SealedAvatar> &&
              apart<SealedMail, SealedKey> && apart<SealedKey, Secret>);
static_assert(!std::is_convertible_v<std::string, SealedKey> &&
              !std::is_convertible_v<SealedKey, std::string>);
static_assert(!Streamable<SealedKey> && !Streamable<SealedMail> && !Streamable<SealedAvatar>);

/// Looks although the memory is nobody's any more, which AddressSanitizer would report.
__attribute__((no_sanitize_address)) bool is_left(const char* where, std::size_t size, char c) {
    for (std::size_t i = 0; i < size; ++i)
        if (where[i] == c) return true;
    return false;
}

/// Looks at all the memory that a string owns, also behind its end.
bool still_has(const std::string& text, char what) {
    return std::memchr(text.data(), what, text.capacity()) != nullptr;
}

BOOST_AUTO_TEST_SUITE(secret)

BOOST_AUTO_TEST_CASE(holds_a_copy_of_its_bytes) {
    std::string plain{"a\0b", 3};
    const Secret held{plain};
    plain[0] = 'x';
    BOOST_TEST((held.reveal() == std::string_view{"a\0b", 3}));
    BOOST_TEST(held.size() == 3U);
    BOOST_TEST(!held.empty());
}

BOOST_AUTO_TEST_CASE(empty_in_every_way) {
    for (const auto& held : {Secret{}, Secret{""}, Secret::of_size(0)}) {
        BOOST_TEST(held.empty());
        BOOST_TEST(held.reveal().empty());
    }
    BOOST_TEST(Secret{}.writable().empty());
}

BOOST_AUTO_TEST_CASE(of_size_is_zero_and_writable) {
    auto made = Secret::of_size(300);
    BOOST_TEST((made.reveal() == std::string(300, '\0')));
    made.writable()[299] = 'z';
    BOOST_TEST(made.reveal().back() == 'z');
}

BOOST_AUTO_TEST_CASE(take_wipes_what_it_takes) {
    for (const std::size_t size : {4U, 4000U}) {
        std::string plain(size, 'k');
        const char* const where = plain.data();
        const auto held = Secret::take(plain);
        BOOST_TEST((held.reveal() == std::string(size, 'k')));
        BOOST_TEST(plain.empty());
        BOOST_REQUIRE((plain.data() == where)); // still its own memory, so that we may look
        BOOST_TEST(!still_has(plain, 'k'));
    }
}

BOOST_AUTO_TEST_CASE(moves_leave_nothing_behind) {
    Secret first{"first"};
    Secret second{std::move(first)};
    BOOST_TEST(first.empty()); // NOLINT(bugprone-use-after-move)
    BOOST_TEST((second.reveal() == "first"));

    Secret third{"third"};
    third = std::move(second);
    BOOST_TEST(second.empty()); // NOLINT(bugprone-use-after-move)
    BOOST_TEST((third.reveal() == "first"));

    auto& same = third;
    third = std::move(same);
    BOOST_TEST((third.reveal() == "first"));
}

BOOST_AUTO_TEST_CASE(short_ones_are_wiped_and_their_memory_is_used_again) {
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

BOOST_AUTO_TEST_CASE(many_have_memory_of_their_own) {
    const auto text = [](std::size_t i) {
        return std::string(1 + 3 * i, static_cast<char>('a' + i % 26));
    };
    std::vector<Secret> held;
    for (std::size_t i = 0; i < 200; ++i) held.emplace_back(text(i));
    for (std::size_t i = 0; i < held.size(); ++i) BOOST_TEST((held[i].reveal() == text(i)));
}

BOOST_AUTO_TEST_CASE(wipe_reaches_behind_the_end) {
    std::string text(100, 's');
    text.resize(3);
    text.assign("abc");
    BOOST_REQUIRE(still_has(text, 's'));
    wipe(text);
    BOOST_TEST(text.empty());
    BOOST_TEST(!still_has(text, 's'));
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

BOOST_AUTO_TEST_SUITE_END()

} // namespace
} // namespace usershell::crypto
