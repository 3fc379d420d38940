#include "domain/email.hpp"
#include "tests/unit/test.hpp"
namespace {
void check(std::string_view text, std::string_view shown, std::string_view normalized,
           std::string_view deliverable) {
    BOOST_TEST_CONTEXT(text) {
        const auto address = parse_email(text);
        BOOST_TEST_REQUIRE(address.has_value());
        BOOST_TEST(address->shown == shown);
        BOOST_TEST(address->normalized == normalized);
        BOOST_TEST(address->deliverable == deliverable);
    }
}

BOOST_AUTO_TEST_CASE(good_addresses_and_their_forms) {
    const std::tuple<std::string_view, std::string_view, std::string_view, std::string_view>
        table[] = {
            {" ada@example.org\n", "ada@example.org", "ada@example.org", "ada@example.org"},
            {"Ada.L@Example.ORG", "Ada.L@Example.ORG", "ada.l@example.org", "Ada.L@example.org"},
            {"ada@BÜCHER.example", "ada@BÜCHER.example", "ada@xn--bcher-kva.example",
             "ada@xn--bcher-kva.example"},
            {"Straße@example.org", "Straße@example.org", "strasse@example.org",
             "Straße@example.org"},
            {"E\xcc\x81mile@example.org", "Émile@example.org", "émile@example.org",
             "Émile@example.org"},
            {"ada@ｅxample。org", "ada@ｅxample。org", "ada@example.org", "ada@example.org"},
        };
    for (const auto& [text, shown, normalized, deliverable] : table)
        check(text, shown, normalized, deliverable);
    for (const auto text :
         {"ada@example.org", "a+tag@mail.example.org", "!#$%&'*+-/=?^_`{|}~@example.org",
          "ada@xn--bcher-kva.example", "a@b.co", "a@1.2.example"})
        check(text, text, text, text);
}

BOOST_AUTO_TEST_CASE(what_is_no_address) {
    const std::string_view table[] = {
        "", "ada", "@example.org", "ada@", "ada@b@example.org",
        // domains
        "ada@localhost", "ada@example.org.", "ada@example..org", "ada@-example.org",
        "ada@exa_mple.org", "ada@[192.0.2.1]", "ada@192.0.2.1", "ada@0x7f.0x1", "ada@xn--a.example",
        "ada@a℀b.example", // maps to a slash
        // local parts
        ".ada@example.org", "a..da@example.org", "a da@example.org", "\"ada\"@example.org",
        "ada,bob@example.org", "Ada <ada@example.org>", "\xf0\x9f\x98\x80@example.org",
        // invisible characters and malformed bytes
        "ada@example.org\r\nBcc: x@y.org", "ada\x7f@example.org", "a\u202eda\u202c@example.org",
        "a\u200bda@example.org", "\xff@example.org", std::string_view{"a\0da@example.org", 16}};
    for (const auto text : table)
        BOOST_TEST_CONTEXT(text) BOOST_TEST(!parse_email(text).has_value());
}

BOOST_AUTO_TEST_CASE(lengths_are_bounded) {
    const auto with_local = [](std::size_t n) { return std::string(n, 'a') + "@example.org"; };
    BOOST_TEST(parse_email(with_local(64)).has_value());
    BOOST_TEST(!parse_email(with_local(65)).has_value());
    const std::string label(62, 'b');
    const std::string domain = label + "." + label + "." + label + ".";
    const auto whole = [&](std::size_t size) { // 2 + 189 + the rest
        return "a@" + domain + std::string(size - 191, 'c');
    };
    BOOST_TEST(whole(254).size() == 254U);
    BOOST_TEST(parse_email(whole(254)).has_value());
    BOOST_TEST(!parse_email(whole(255)).has_value());
    std::string grows = std::string(64, 'a') + "@"; // 254 bytes at most as typed, more in ASCII
    for (int i = 0; i < 16; ++i) grows += "üüüüü.";
    grows += "example";
    BOOST_TEST_REQUIRE(grows.size() <= 254U);
    BOOST_TEST(!parse_email(grows).has_value());
}
} // namespace
