// Good base URLs and their one spelling; and hostile ones, which reach for a forbidden place or
// mean another host to the HTTP client: invalid, or refused by the egress policy before any
// look-up.
#include "domain/address/address.hpp"
#include "domain/address/url.hpp"
#include "tests/unit/test.hpp"
namespace {
enum class End { invalid, refused, let_through };
End end_of(std::string_view text, const EgressPolicy& policy = EgressPolicy{}) {
    try {
        const auto url = BaseUrl::parse(text);
        return policy.may_try(url.host(), url.port()) ? End::let_through : End::refused;
    } catch (const Refusal&) {
        return End::invalid;
    }
}
void all_end(End expected, std::initializer_list<std::string_view> urls) {
    for (const auto url : urls) BOOST_TEST((end_of(url) == expected), url);
}

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
    for (const auto& [text, canonical] : others)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(BaseUrl::parse(text).text() == canonical);
}

BOOST_AUTO_TEST_CASE(the_parts_are_those_of_the_canonical_form) {
    const std::tuple<std::string_view, std::string_view, std::string_view, std::uint16_t,
                     std::string_view, std::string_view>
        table[] = {
            {"https://API.example/V1/", "https", "api.example", 443, "/V1",
             "https://api.example:443"},
            {"http://api.example", "http", "api.example", 80, "", "http://api.example:80"},
            {"http://api.example:8080/", "http", "api.example", 8080, "",
             "http://api.example:8080"},
            {"https://[2001:DB8::1]:444/a", "https", "2001:db8::1", 444, "/a",
             "https://[2001:db8::1]:444"},
        };
    for (const auto& [text, scheme, host, port, path, origin] : table) BOOST_TEST_CONTEXT(text) {
            const auto url = BaseUrl::parse(text);
            BOOST_TEST(url.scheme() == scheme);
            BOOST_TEST(url.host() == host);
            BOOST_TEST(url.port() == port);
            BOOST_TEST(url.path() == path);
            BOOST_TEST(url.origin() == origin);
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
                       has(refusal.sentence().english(), says) &&
                       !has(refusal.sentence().english(), "secret");
            };
            BOOST_CHECK_EXCEPTION(BaseUrl::parse(text), Refusal, is_it);
        }
}

BOOST_AUTO_TEST_CASE(forbidden_places_are_refused) {
    all_end(End::refused,
            {// addresses: more of them in address_test.cpp
             "http://127.0.0.1:8080", "http://[::1]:8080", "http://[::ffff:7f00:1]",
             // names
             "http://LocalHost/v1", "http://a.b.localhost", "http://printer.local",
             "http://METADATA.GOOGLE.INTERNAL", "http://metadata", "http://ｌｏｃａｌｈｏｓｔ",
             "http://ⓛocalhost", "http://local\xc2\xadhost", "http://metadata．google。internal",
             // ports
             "https://example.org:25", "http://8.8.8.8:53", "http://example.org:1023",
             // Unicode digits and dots
             "http://１２７.０.０.１", "http://127。0．0｡1", "http://①②⑦.⓪.⓪.①"});
}

// Numbers, user info, slashes, escapes, brackets, ports, dots, characters, schemes, controls,
// paths.
BOOST_AUTO_TEST_CASE(what_could_be_read_as_another_place_is_invalid) {
    all_end(End::invalid,
            {// other ways to write a number
             "http://2130706433", "http://017700000001", "http://0x7f000001", "http://2130706433.",
             "http://4294967297", "http://0", "http://0x", "http://0x7f.0.0.1", "http://127.0.0.01",
             "http://127.0.0.1.1", "http://127.0.0.256", "http://127..1", "http://.127.0.0.1",
             "http://127.0.0.1.", "http://foo.127", "http://foo.0x7f", "http://１２７。１",
             "http://０ｘ７ｆ.1", "http://２１３０７０６４３３", "http://127․0․0․1",
             "http://⒈27.0.0.1", "http://𝟭𝟮𝟳.１",
             // user info
             "http://example.org@127.0.0.1", "http://@127.0.0.1", "http://example.org:80@127.0.0.1",
             // slashes and backslashes
             "http://example.org\\@127.0.0.1", "http:\\\\127.0.0.1",
             "http://127.0.0.1\\.example.org", "http:127.0.0.1", "http:/127.0.0.1", "//127.0.0.1",
             // percent-encoding in the host
             "http://127%2e0%2e0%2e1", "http://local%68ost", "http://example.org%00.127.0.0.1",
             "http://example.org%2f@127.0.0.1", "http://127.0.0.1%23.example.org",
             // odd brackets
             "http://[::1", "http://::1", "http://[]", "http://[127.0.0.1]", "http://[localhost]",
             "http://[::1]x", "http://x[::1]", "http://[v1.fe80::a]", "http://[::1]:80:80",
             "http://[::ffff:127.1]",
             // ports
             "http://example.org:65536", "http://example.org:", "http://example.org:+80",
             "http://example.org:080", "http://example.org:80a", "http://example.org:８０",
             "http://:80", "http://example.org:4294967376",
             // dots and empty labels
             "http://localhost.", "http://example.org。", "http://example..org", "http://.",
             // characters that no host name has
             "http://-example.org", "http://exa mple.org", "http://example.org,127.0.0.1",
             "http://a℀b.example", "http://a％2fb.example", "http://example.org／@127.0.0.1",
             "http://example.org＃@127.0.0.1", "http://example.org：80", "http://xn--a.example",
             "http://ex\u202eam\u202cple.org", "http://💩.example", "http://a\u200db.example",
             // other schemes and relatives
             "file:///etc/passwd", "ftp://example.org", "gopher://127.0.0.1:6379/_x",
             "javascript:alert(1)", "http+unix://x", "h\xd1\x82tp://example.org", "://example.org",
             "https:", "https://", "example.org:443",
             // control characters and white space
             " http://example.org", "ht\ntp://example.org", "http://exa\tmple.org",
             "http://example.org/\r\nHost: x", "http://example.org/\x7f",
             "http://example.org/\xc2\x85", "http://example.org/\xe2\x80\xa8",
             "http://exa\xc2\xa0mple.org", "\xef\xbb\xbfhttp://example.org",
             "http://example.org/\xff", std::string_view{"http://example.org\0.x", 21},
             std::string_view{"http://example.org/\0", 20},
             // paths that climb or hide
             "https://example.org/..", "https://example.org/a/../b", "https://example.org/./a",
             "https://example.org/a/.", "https://example.org/%2e%2e/a", "https://example.org/.%2e",
             "https://example.org/a%5Cb", "https://example.org/%00",
             "https://example.org/%0d%0aHost:%20x", "https://example.org/%2",
             "https://example.org/%zz", "https://example.org/\"", "https://example.org/<x>",
             "https://example.org?"});
}

BOOST_AUTO_TEST_CASE(allowing_one_address_opens_no_other_spelling_of_it) {
    const EgressPolicy policy{{"127.0.0.1:8080"}};
    BOOST_TEST((end_of("http://127.0.0.1:8080", policy) == End::let_through));
    for (const auto* const other :
         {"http://127.0.0.1:8081", "http://127.0.0.2:8080", "http://localhost:8080",
          "http://[::1]:8080", "http://[::ffff:127.0.0.1]:8080"})
        BOOST_TEST((end_of(other, policy) == End::refused), other);
}
} // namespace
