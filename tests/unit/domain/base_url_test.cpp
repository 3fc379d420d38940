// Addresses that may be called. Good base URLs and their one spelling; and hostile ones, which
// reach for a forbidden place or mean another host to the HTTP client: invalid, or refused by the
// egress policy before any look-up.
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
            {// addresses: more of them below
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

Address address(std::string_view text) {
    const auto parsed = Address::parse(text);
    BOOST_TEST_REQUIRE(parsed.has_value(), text << " should be an address");
    return *parsed;
}
/// To an address that a host resolves to, and whether a policy lets it happen.
struct Call {
    std::string_view address;
    std::uint16_t port;
    bool permitted;
    std::string_view host = "any.example";
};
void check(const EgressPolicy& policy, const std::vector<Call>& calls,
           const std::vector<Address>& own = {}) {
    for (const auto& call : calls)
        BOOST_TEST_CONTEXT(call.host << " at " << call.address << " port " << call.port)
    BOOST_TEST(policy.permits(address(call.address), call.port, call.host, own) == call.permitted);
}

BOOST_AUTO_TEST_CASE(an_address_has_one_text) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"2001:0DB8:0:0:0:0:0:1", "2001:db8::1"},
        {"2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"},
        {"2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"},
        {"::ffff:c000:201", "::ffff:192.0.2.1"},
    };
    for (const auto& [text, canonical] : table) BOOST_TEST(address(text).text() == canonical);
    for (const std::string_view text : {"", "127.1", "1.2.3.256", "01.2.3.4", "0x7f.0.0.1",
                                        "2130706433", "1.2.3.4/8", "::1%eth0", "[::1]", "1::2::3"})
        BOOST_TEST(!Address::parse(text).has_value(), text);
}

BOOST_AUTO_TEST_CASE(a_client_counts_by_its_ipv4_address_or_by_64_and_48_bits_of_ipv6) {
    const std::pair<std::string_view, std::vector<std::string>> table[] = {
        {"192.0.2.1", {"192.0.2.1"}},
        {"::ffff:192.0.2.1", {"192.0.2.1"}},
        {"2001:db8:1:2:3:4:5:6", {"2001:db8:1:2::/64", "2001:db8:1::/48"}},
        {"::fffe:192.0.2.1", {"::/64", "::/48"}},
    };
    for (const auto& [given, networks] : table) BOOST_TEST_CONTEXT(given)
    BOOST_TEST(address(given).client_networks() == networks, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(single_addresses_are_public_or_not) {
    for (const std::string_view text :
         {// an address of each network of IPv4
          "0.1.2.3", "10.0.0.1", "100.100.100.200", "127.0.0.1", "168.63.129.16", "169.254.169.254",
          "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1",
          "192.88.99.1", "192.168.1.1", "192.175.48.1", "198.19.255.255", "198.51.100.1",
          "203.0.113.1", "239.255.255.255", "255.255.255.254",
          // IPv4 inside IPv6
          "::127.0.0.1", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::1",
          "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2002:7f00:1::",
          // IPv6: this machine, discard, ORCHID, segment routing, local, multicast
          "::1", "100::", "2001:10::1", "2001:1ff:ffff::", "2001:db8::1", "2620:4f:8000::1",
          "3fff::1", "4000::", "fd00:ec2::254", "fe80::1", "ff02::1"})
        BOOST_TEST(!is_public(address(text)), text);
    for (const std::string_view text : {"8.8.8.8", "9.255.255.255", "11.0.0.0", "172.32.0.0",
                                        "2000::", "2001:200::", "2606:4700::1111"})
        BOOST_TEST(is_public(address(text)), text);
}

BOOST_AUTO_TEST_CASE(without_rows_the_public_internet_may_be_called) {
    const std::vector<Call> calls{
        {"8.8.8.8", 443, true},         {"8.8.8.8", 80, true},          {"8.8.8.8", 1024, true},
        {"8.8.8.8", 1023, false},       {"8.8.8.8", 0, false},          {"10.0.0.1", 443, false},
        {"2606:4700::1111", 443, true}, {"2606:4700::1111", 25, false},
    };
    check(EgressPolicy{}, calls);
}

BOOST_AUTO_TEST_CASE(the_machines_own_addresses_are_not_public_to_it) {
    const EgressPolicy policy{{"9.9.9.9:11434", "own.example:443"}};
    const std::vector<Address> own{address("9.9.9.9"), address("2606:4700::1")};
    const std::vector<Call> calls{
        {"9.9.9.9", 443, false},
        {"9.9.9.9", 11434, true},              // the operator named it
        {"9.9.9.9", 443, true, "own.example"}, // likewise
        {"9.9.9.8", 443, true},
        {"2606:4700::1", 443, false},
        {"2606:4700::2", 443, true},
    };
    check(policy, calls, own);
}

BOOST_AUTO_TEST_CASE(rows_allow_what_they_name_and_nothing_more) {
    const EgressPolicy policy{{"127.0.0.1:11434", "10.0.0.0/8:8080", "[fd00::/8]:8000",
                               "fd12::/16:25", "[::1]:9000", "0.0.0.0/0:99", "GPU.internal:81",
                               "localhost:5000"}};
    const std::vector<Call> calls{
        {"127.0.0.1", 11434, true, "rebound.example"}, // the operator named the address
        {"127.0.0.1", 11435, false, "127.0.0.1"},
        {"127.0.0.2", 11434, false, "127.0.0.2"},
        {"10.200.0.1", 8080, true, "10.200.0.1"},
        {"10.200.0.1", 443, false, "10.200.0.1"},
        {"fdab::1", 8000, true, "fdab::1"},
        {"fc00::1", 8000, false, "fc00::1"},
        {"fd12::1", 25, true, "fd12::1"},
        {"fd13::1", 25, false, "fd13::1"},
        {"::1", 9000, true, "::1"},
        {"::2", 9000, false, "::2"},
        {"10.0.0.1", 99, true},
        {"::1", 99, false},
        {"::ffff:127.0.0.1", 11434, false, "::ffff:127.0.0.1"},
        {"192.168.7.7", 81, true, "GPU.Internal"},
        {"192.168.7.7", 82, false, "gpu.internal"},
        {"192.168.7.7", 81, false, "other.internal"},
        {"127.0.0.1", 5000, true, "localhost"},
        {"127.0.0.1", 5000, false, "example.org"},
    };
    check(policy, calls);
}

BOOST_AUTO_TEST_CASE(the_early_word_refuses_what_can_never_be_called) {
    const EgressPolicy policy{{"127.0.0.1:11434", "10.0.0.0/8:81", "gpu.internal:82", "box:8000"}};
    const std::tuple<std::string_view, std::vector<std::uint16_t>, std::vector<std::uint16_t>>
        table[] = {
            {"example.org", {80, 81, 443, 8443}, {22, 82}}, // 81: may resolve into the network row
            {"mylocalhost.example", {443}, {}},
            {"8.8.8.8", {443}, {22}},
            {"127.0.0.1", {11434}, {443}},
            {"10.1.1.1", {81}, {443}},
            {"gpu.internal", {82}, {443}},
            {"box", {8000}, {8001}},
            {"metadata.google.internal", {}, {80}},
        };
    for (const auto& [host, may, may_not] : table) BOOST_TEST_CONTEXT(host) {
            for (const auto port : may) BOOST_TEST(policy.may_try(host, port), port);
            for (const auto port : may_not) BOOST_TEST(!policy.may_try(host, port), port);
        }
    for (const auto* const host :
         {"LOCALHOST", "internal", "notlocal", "example.org.", "127.1", ""})
        BOOST_TEST(!policy.may_try(host, 443), host);
}

BOOST_AUTO_TEST_CASE(malformed_rows_are_named) {
    for (const std::string row :
         {"", "localhost", "localhost:0", "localhost:99999", ":443", "a.example:*", "10.0.0.0/8",
          "10.0.0.0/33:443", "10.0.0.1/8:443", "[fd00::/129]:443", "127.1:443", "::1:443",
          "[::1%lo]:443", "http://a:443", "*:443", "a..b:443"}) {
        const auto names_row = [&](const Error& error) {
            return std::string{error.what()}.starts_with("'" + row + "' must ");
        };
        BOOST_TEST_CONTEXT(row) BOOST_CHECK_EXCEPTION(EgressPolicy({row}), Error, names_row);
    }
}
} // namespace
