// Every spelling here tries to reach what must not be reached, or to mean one host to us and
// another to the HTTP client. Each must end as an invalid URL or as one that the egress policy
// refuses before any look-up.
#include "base/address/address.hpp"
#include "base/address/url.hpp"
#include "base/error.hpp"

#include <boost/test/unit_test.hpp>

#include <initializer_list>

using namespace usershell;

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
    for (const auto url : urls) BOOST_TEST_CONTEXT(url)
    BOOST_TEST(static_cast<int>(end_of(url)) == static_cast<int>(expected));
}

} // namespace

BOOST_AUTO_TEST_SUITE(hostile_urls)

BOOST_AUTO_TEST_CASE(forbidden_places_are_refused) {
    all_end(End::refused,
            {// addresses
             "http://127.0.0.1:8080", "http://0.0.0.0", "http://10.0.0.1",
             "http://169.254.169.254/latest/meta-data", "http://[::1]:8080",
             "http://[::ffff:7f00:1]", "http://[::127.0.0.1]", "http://[64:ff9b::a9fe:a9fe]",
             "http://[2002:7f00:1::]", "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]",
             "http://[fe80::1]", "http://[fd00:ec2::254]", "http://[ff02::1]",
             // names
             "http://LocalHost/v1", "http://a.b.localhost", "http://printer.local",
             "http://METADATA.GOOGLE.INTERNAL", "http://metadata", "http://ｌｏｃａｌｈｏｓｔ",
             "http://ⓛocalhost", "http://local\xc2\xadhost", "http://metadata．google。internal",
             // ports
             "https://example.org:25", "http://8.8.8.8:53", "http://example.org:1023",
             // Unicode digits and dots
             "http://１２７.０.０.１", "http://127。0．0｡1", "http://①②⑦.⓪.⓪.①"});
    all_end(End::invalid, {"http://１２７。１", "http://０ｘ７ｆ.1", "http://２１３０７０６４３３",
                           "http://127․0․0․1", "http://⒈27.0.0.1", "http://𝟭𝟮𝟳.１"});
}

BOOST_AUTO_TEST_CASE(other_ways_to_write_a_number_are_invalid) {
    all_end(End::invalid,
            {"http://2130706433", "http://017700000001", "http://0x7f000001", "http://2130706433.",
             "http://4294967297", "http://0", "http://0x", "http://0x7f.0.0.1", "http://127.0.0.01",
             "http://127.1", "http://127.0.0.1.1", "http://127.0.0.256", "http://127..1",
             "http://.127.0.0.1", "http://127.0.0.1.", "http://foo.127", "http://foo.0x7f"});
}

BOOST_AUTO_TEST_CASE(hosts_that_parsers_disagree_on_are_invalid) {
    all_end(End::invalid,
            {// user info
             "http://example.org@127.0.0.1", "http://@127.0.0.1", "http://example.org:80@127.0.0.1",
             // slashes and backslashes
             "http://example.org\\@127.0.0.1", "http:\\\\127.0.0.1",
             "http://127.0.0.1\\.example.org", "http:127.0.0.1", "http:/127.0.0.1",
             "http:///127.0.0.1", "//127.0.0.1",
             // percent-encoding in the host
             "http://127%2e0%2e0%2e1", "http://local%68ost", "http://example.org%00.127.0.0.1",
             "http://example.org%2f@127.0.0.1", "http://127.0.0.1%23.example.org",
             // zones and odd brackets
             "http://[fe80::1%25eth0]", "http://[::1", "http://::1", "http://[]",
             "http://[127.0.0.1]", "http://[localhost]", "http://[::1]x", "http://x[::1]",
             "http://[v1.fe80::a]", "http://[::1]:80:80", "http://[::ffff:127.1]",
             // ports
             "http://example.org:0", "http://example.org:65536", "http://example.org:",
             "http://example.org:+80", "http://example.org:080", "http://example.org:80a",
             "http://example.org:８０", "http://:80", "http://example.org:4294967376",
             // dots and empty labels
             "http://localhost.", "http://example.org。", "http://example..org", "http://.",
             // characters that no host name has
             "http://exa_mple.org", "http://-example.org", "http://exa mple.org",
             "http://example.org,127.0.0.1", "http://a℀b.example", "http://a％2fb.example",
             "http://example.org／@127.0.0.1", "http://example.org＃@127.0.0.1",
             "http://example.org：80", "http://xn--a.example", "http://ex\u202eam\u202cple.org",
             "http://💩.example", "http://a\u200db.example"});
}

BOOST_AUTO_TEST_CASE(other_schemes_and_relatives_are_invalid) {
    all_end(End::invalid, {"file:///etc/passwd", "ftp://example.org", "gopher://127.0.0.1:6379/_x",
                           "javascript:alert(1)", "http+unix://x", "h\xd1\x82tp://example.org",
                           "://example.org", "https:", "https://", "", "example.org:443"});
}

BOOST_AUTO_TEST_CASE(control_characters_and_white_space_are_invalid_everywhere) {
    all_end(End::invalid,
            {" http://example.org", "http://example.org\n", "ht\ntp://example.org",
             "http://exa\tmple.org", "http://example.org/\r\nHost: x", "http://example.org/a b",
             "http://example.org/\x7f", "http://example.org/\xc2\x85",
             "http://example.org/\xe2\x80\xa8", "http://exa\xc2\xa0mple.org",
             "\xef\xbb\xbfhttp://example.org", "http://example.org/\xff",
             std::string_view{"http://example.org\0.x", 21},
             std::string_view{"http://example.org/\0", 20}});
}

BOOST_AUTO_TEST_CASE(paths_that_climb_or_hide_are_invalid) {
    all_end(End::invalid,
            {"https://example.org/..", "https://example.org/a/../b", "https://example.org/./a",
             "https://example.org/a/.", "https://example.org/%2e%2e/a", "https://example.org/.%2e",
             "https://example.org/a%2fb", "https://example.org/a%5Cb", "https://example.org/%00",
             "https://example.org/%0d%0aHost:%20x", "https://example.org/%2",
             "https://example.org/%zz", "https://example.org/\"", "https://example.org/<x>",
             "https://example.org/é", "https://example.org?", "https://example.org/?a=1",
             "https://example.org/#x"});
}

BOOST_AUTO_TEST_CASE(allowing_one_address_opens_no_other_spelling_of_it) {
    const EgressPolicy policy{{"127.0.0.1:8080"}};
    BOOST_TEST((end_of("http://127.0.0.1:8080", policy) == End::let_through));
    for (const auto* const other :
         {"http://127.0.0.1:8081", "http://127.0.0.2:8080", "http://localhost:8080",
          "http://[::1]:8080", "http://[::ffff:127.0.0.1]:8080"})
        BOOST_TEST((end_of(other, policy) == End::refused), other);
}

BOOST_AUTO_TEST_SUITE_END()
