#include "domain/address/address.hpp"
#include "tests/unit/test.hpp"
namespace {
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
