// Secrets, tokens and passwords, and the form in which they are hashed.
#include "base/ids.hpp"
#include "crypto/bytes.hpp"
#include "crypto/password.hpp"
#include "crypto/secret.hpp"
#include "crypto/token.hpp"
#include "tests/unit/crypto/support.hpp"
#include "tests/unit/freed_memory.hpp"
#include <cstring>
#include <new>
#include <sys/prctl.h>
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

BOOST_AUTO_TEST_CASE(each_field_has_its_length_in_front) {
    BOOST_TEST(length_prefixed({}).empty());
    BOOST_TEST((length_prefixed({"ab", "", "c"}) == "\0\0\0\2ab\0\0\0\0\0\0\0\1c"s));
    BOOST_TEST((length_prefixed({std::string(258, 'x')}).substr(0, 5) == "\0\0\1\2x"s));
}

BOOST_AUTO_TEST_CASE(nothing_is_written_past_the_room) {
    std::array<unsigned char, 8> room{};
    room.fill(0xee);
    constexpr std::array<std::string_view, 1> field{"ab"};
    BOOST_CHECK_THROW(write_length_prefixed({room.data(), 5}, field), Error);
    write_length_prefixed({room.data(), 6}, field);
    BOOST_TEST(room[5] == 'b');
    BOOST_TEST(room[6] == 0xee);
    constexpr std::size_t four_gib = std::size_t{1} << 32U;
    const std::vector<char> one(1);
    const std::array fields{std::string_view{one.data(), four_gib}}; // only its size is read
    BOOST_CHECK_THROW(static_cast<void>(length_prefixed_size(fields)), Error);
}

BOOST_AUTO_TEST_CASE(a_record_cut_short_gives_no_last_field) {
    const auto record = length_prefixed({"abc", "de"});
    for (std::size_t size = 0; size < record.size(); ++size) {
        const std::string cut =
            record.substr(0, size); // its own memory: reading on is seen by ASan
        FieldReader reader{cut};
        const auto first = reader.next();
        BOOST_TEST(first.has_value() == (size >= 7));
        if (first) BOOST_TEST(!reader.next());
    }
    FieldReader whole{record};
    BOOST_TEST((whole.next() == "abc" && whole.next() == "de" && whole.at_end()));
    for (const std::string& wrong : {"\0\0\0\1"s, "\xff\xff\xff\xff"s, "\0\0\0\4abc"s})
        BOOST_TEST(!FieldReader{wrong}.next());
}

BOOST_AUTO_TEST_CASE(uuids_are_version_4) {
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const auto uuid = random_uuid();
        BOOST_REQUIRE((is_uuid(uuid) && uuid[14] == '4' && seen.insert(uuid).second));
        BOOST_REQUIRE(std::string{"89ab"}.find(uuid[19]) != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(base64url_follows_rfc_4648) {
    const std::pair<std::string, std::string> vectors[] = {
        {"", ""}, {"f", "Zg"}, {"fo", "Zm8"}, {"foo", "Zm9v"}, {"\xfb\xff", "-_8"}};
    for (const auto& [bytes, text] : vectors) {
        BOOST_TEST(base64url(bytes) == text);
        BOOST_TEST((from_base64url(text) == bytes));
    }
}

BOOST_AUTO_TEST_CASE(other_spellings_of_base64url_are_refused) {
    for (const std::string_view text :
         {"Z"sv, "Zg=="sv, "Zg="sv, "Zh"sv, "Zm9"sv, "Zm9vY"sv, "+/8"sv, "Zm 9v"sv, "Zm9v\n"sv,
          " Zm9v"sv, "Zm9v."sv, "Zm9v\0"sv})
        BOOST_TEST(!from_base64url(text), text);
    for (int byte = 0x80; byte <= 0xff; ++byte)
        BOOST_TEST(!from_base64url(std::string(4, static_cast<char>(byte))), byte);
}

BOOST_AUTO_TEST_CASE(a_token_hash_is_stable_of_its_purpose_and_leaves_no_copy) {
    // computed with another implementation of BLAKE2b (Python's hashlib)
    const auto expected = test::from_hex("05f9f7789d88f0a3d551460d089b7995"
                                         "f17b08a1deb5a645a97e877b420df002");
    BOOST_TEST((token_hash("session", "abc") == expected));
    const std::set<std::string> hashes{token_hash("session", "abc"), token_hash("session", "abd"),
                                       token_hash("reset", "abc"), token_hash("sessiona", "bc"),
                                       token_hash("", "sessionabc")};
    BOOST_TEST(hashes.size() == 5U);
    const std::string session(43, 's');
    const usershell::test::FreedMemory freed{session};
    token_hash("session", session);
    BOOST_TEST(freed.blocks_with_marker() == 0);
}

struct Session {
    std::string key = random_bytes(antiforgery_key_size);
    std::string token = issue_antiforgery(key);
};

BOOST_FIXTURE_TEST_CASE(antiforgery_tokens_of_a_session_are_accepted_and_never_alike, Session) {
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i, token = issue_antiforgery(key)) {
        BOOST_TEST(check_antiforgery(key, token));
        BOOST_TEST(seen.insert(token.substr(0, 8)).second);
        BOOST_TEST(seen.insert(token.substr(token.size() - 8)).second);
    }
}

BOOST_FIXTURE_TEST_CASE(any_other_antiforgery_token_is_refused, Session) {
    for (const auto& other : {Session{}.token, base64url(key), token + "A", token + "AAAA"})
        BOOST_TEST(!check_antiforgery(key, other), other);
    for (std::size_t at = 0; at < token.size(); ++at) {
        auto changed = token;
        changed[at] = changed[at] == 'A' ? 'B' : 'A';
        BOOST_TEST(!check_antiforgery(key, changed));
        BOOST_TEST(!check_antiforgery(key, token.substr(0, at)));
    }
}

BOOST_FIXTURE_TEST_CASE(a_key_of_another_size_issues_and_accepts_nothing, Session) {
    for (const std::size_t size : {0U, 31U, 33U}) {
        BOOST_CHECK_THROW(issue_antiforgery(std::string(size, 'k')), Error);
        BOOST_TEST(!check_antiforgery(std::string(size, 'k'), token));
    }
}

BOOST_AUTO_TEST_SUITE(access_token)

const auto here = InstallationId::parse("7d1f7a51-4f4b-4a3e-9a53-1f6f3c8d9e10").value();
constexpr auto vector_text = "ush_0005xlvOGG28EabbKk7K6hfLDwbYsv6QmFp2MkPrPdyT9vK4LHKGoxz9"
                             "NaCJ2zffyj";
constexpr auto too_large = "ush_zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"
                           "zzzz0dfljJ";
const auto elsewhere = InstallationId::parse("7d1f7a51-4f4b-4a3e-9a53-1f6f3c8d9e11").value();

BOOST_AUTO_TEST_CASE(a_new_token_proves_itself_here_alone) {
    std::set<std::string> seen;
    for (int i = 0; i < 50; ++i) {
        const NewAccessToken token = new_access_token(here);
        const std::string text{std::string_view{token.text}};
        BOOST_TEST(text.size() == 70U);
        BOOST_TEST(text.starts_with(access_token_hint(token.proof.selector)));
        const auto proof = prove_access_token(here, text);
        BOOST_REQUIRE(proof.has_value());
        BOOST_TEST((proof->selector == token.proof.selector));
        BOOST_TEST((proof->verifier == token.proof.verifier));
        BOOST_TEST((prove_access_token(elsewhere, text)->verifier != token.proof.verifier));
        BOOST_TEST(seen.insert(text).second);
    }
}

// Made by another implementation: Python's integers, zlib.crc32 and hashlib.blake2b.
BOOST_AUTO_TEST_CASE(the_form_has_a_vector) {
    const auto proof = prove_access_token(here, vector_text);
    BOOST_REQUIRE(proof.has_value());
    BOOST_TEST(hex(proof->selector) == "000102030405060708090a0b");
    BOOST_TEST(hex(proof->verifier) == "e5d1406c1f13b9285f142c140a815dea"
                                       "dc67f9761f469cb103487a055ce56d48");
}

BOOST_AUTO_TEST_CASE(a_changed_token_is_refused_by_its_form) {
    const std::string text{std::string_view{new_access_token(here).text}};
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = changed[i] == 'A' ? 'B' : 'A';
        BOOST_TEST(!is_access_token(changed));
    }
    for (const std::string& each : {std::string{}, text + "A", text.substr(1), "sk-" + text})
        BOOST_TEST(!is_access_token(each));
}

BOOST_AUTO_TEST_CASE(a_number_of_more_than_44_bytes_is_refused) {
    BOOST_TEST(is_access_token(too_large));
    BOOST_TEST(!prove_access_token(here, too_large).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

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
