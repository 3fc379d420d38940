#include "base/ids.hpp"
#include "crypto/token.hpp"
#include "tests/unit/crypto/support.hpp"
#include "tests/unit/freed_memory.hpp"
namespace usershell::crypto {
namespace {
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
} // namespace
} // namespace usershell::crypto
