// Base URLs that are good, and their one canonical spelling. The hostile ones:
// hostile_url_test.cpp.
#include "base/address/url.hpp"

#include "base/error.hpp"

#include <boost/test/unit_test.hpp>

using namespace usershell;

BOOST_AUTO_TEST_SUITE(base_url)

BOOST_AUTO_TEST_CASE(good_ones_have_one_spelling) {
    const std::string_view kept[] = {
        // hosts and ports
        "http://example.org", "https://example.org:80/v1", "https://example.org:65535/x",
        "http://127.0.0.1:11434", "http://ollama:11434", "https://r3---sn-x.example.org",
        "https://1.example", "https://0x7f.example", "https://127.0.0.1.example",
        // paths
        "https://example.org/a//b", "https://example.org/a%20b%40", "https://example.org/a@b",
        "https://example.org/a:b;c=d,e", "https://example.org/...", "https://example.org/.a..b"};
    for (const auto text : kept)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(BaseUrl::parse(text).text() == text);

    const std::pair<std::string_view, std::string_view> others[] = {
        {"HTTPS://API.OpenAI.com/V1//", "https://api.openai.com/V1"},
        {"Http://Example.Org:80/", "http://example.org"},
        {"https://[2001:0db8:0:0:0:0:0:1]:8443", "https://[2001:db8::1]:8443"},
        {"https://[::ffff:7f00:1]", "https://[::ffff:127.0.0.1]"},
        {"https://BÜCHER.example", "https://xn--bcher-kva.example"},
        {"https://faß.example", "https://xn--fa-hia.example"},
        {"https://example。org", "https://example.org"},
        {"https://example.org/a%2db/%7euser/%c3%a9", "https://example.org/a-b/~user/%C3%A9"},
    };
    for (const auto& [text, canonical] : others) BOOST_TEST_CONTEXT(text) {
            const auto url = BaseUrl::parse(text);
            BOOST_TEST(url.text() == canonical);
            BOOST_TEST((BaseUrl::parse(url.text()) == url));
        }
}

BOOST_AUTO_TEST_CASE(the_parts_are_those_of_the_canonical_form) {
    const struct {
        std::string_view text, scheme, host;
        std::uint16_t port;
        std::string_view path, origin;
    } table[] = {
        {"https://API.example/V1/", "https", "api.example", 443, "/V1", "https://api.example:443"},
        {"http://api.example", "http", "api.example", 80, "", "http://api.example:80"},
        {"http://api.example:8080/", "http", "api.example", 8080, "", "http://api.example:8080"},
        {"https://[2001:DB8::1]:444/a", "https", "2001:db8::1", 444, "/a",
         "https://[2001:db8::1]:444"},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.text) {
            const auto url = BaseUrl::parse(row.text);
            BOOST_TEST(url.scheme() == row.scheme);
            BOOST_TEST(url.host() == row.host);
            BOOST_TEST(url.port() == row.port);
            BOOST_TEST(url.path() == row.path);
            BOOST_TEST(url.origin() == row.origin);
        }
}

BOOST_AUTO_TEST_CASE(length_is_bounded_before_and_after) {
    const std::string head = "https://example.org/";
    BOOST_TEST(BaseUrl::parse(head + std::string(2048 - head.size(), 'a')).text().size() == 2048U);
    BOOST_CHECK_THROW(BaseUrl::parse(head + std::string(2049 - head.size(), 'a')), Refusal);
    // 4 bytes longer in ASCII than as typed
    const std::string idn = "https://bücher.example/";
    BOOST_CHECK_THROW(BaseUrl::parse(idn + std::string(2048 - idn.size(), 'a')), Refusal);
}

BOOST_AUTO_TEST_CASE(what_it_covers_begins_with_it_and_stays_there) {
    const std::string text = "https://h.example/v1/tenant-a";
    const auto base = BaseUrl::parse(text);
    for (const auto* const below : {"", "?x=../%2e%2e/", "/a%2Fb%20c:d?x", "/..x/x../..."})
        BOOST_TEST(base.covers(text + below), below);
    for (const auto* const beside : {"b", "%2Fx", "/../x", "/.", "/%2e%2E/x", "/.%2e?x", "/..%2fx",
                                     "/..%5Cx", "/..\\x", "/%252e%252e/x", "/x#y", "/x%3Fy"})
        BOOST_TEST(!base.covers(text + beside), beside);
    for (const auto* const other :
         {"https://h.example/v1/tenant-b/x", "https://h.example/v1",
          "http://h.example/v1/tenant-a/x", "https://h.example.evil/v1/tenant-a/x"})
        BOOST_TEST(!base.covers(other), other);
    BOOST_TEST(BaseUrl::parse("https://h.example").covers("https://h.example/v1"));
    BOOST_TEST(!BaseUrl::parse("https://h.example").covers("https://h.example@evil.example/v1"));
    BOOST_TEST(!BaseUrl::parse("https://h.example").covers("https://h.example:1/v1"));
}

BOOST_AUTO_TEST_CASE(a_refusal_says_what_is_wrong) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"", "empty"},
        {"example.org", "begin with"},
        {"https:///v1", "needs a host"},
        {"https://user:secret@example.org", "user name or password"},
        {"https://example.org?key=secret", "question mark"},
        {"https://example.org#x", "#"},
        {"https://example.org:0", "1 to 65535"},
        {"https://127.1", "whole IPv4 address"},
        {"https://exa_mple.org", "neither a domain name"},
        {"https://[fe80::1%25eth0]", "zone"},
        {"https://example.org/a b", "space"},
        {"https://example.org/a\\b", "backslash"},
        {"https://example.org/\n", "control character"},
        {"https://example.org/../x", "dot segment"},
        {"https://example.org/a%2Fb", "encoded slash"},
        {"https://example.org/é", "percent-encoded"},
    };
    for (const auto& [text, says] : table) BOOST_TEST_CONTEXT(text) {
            const auto is_it = [&says = says](const Refusal& refusal) {
                return refusal.code() == ErrorCode::invalid_field && refusal.field() == "baseUrl" &&
                       refusal.sentence().find(says) != std::string::npos &&
                       refusal.sentence().find("secret") == std::string::npos;
            };
            BOOST_CHECK_EXCEPTION(BaseUrl::parse(text), Refusal, is_it);
        }
}

BOOST_AUTO_TEST_SUITE_END()
