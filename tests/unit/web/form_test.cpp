#include "tests/unit/web/refusal_check.hpp"
#include "web/body.hpp"
using namespace usershell::web;
BOOST_AUTO_TEST_CASE(fields_are_decoded_and_the_first_of_a_name_counts) {
    const std::vector<std::pair<std::string, std::map<std::string, std::string>>> rows = {
        {"", {}},
        {"&&", {}},
        {"a=1&b=2", {{"a", "1"}, {"b", "2"}}},
        {"a=1&a=2", {{"a", "1"}}},
        {"a&b=", {{"a", ""}, {"b", ""}}},
        {"=1", {{"", "1"}}},
        {"a=1=2&", {{"a", "1=2"}}},
        {"email=a%40b.example&name=%C3%89ve+Curie",
         {{"email", "a@b.example"}, {"name", "\xc3\x89ve Curie"}}},
        {"text=one%0D%0Atwo", {{"text", "one\r\ntwo"}}},
    };
    for (const auto& [body, expected] : rows) {
        std::map<std::string, std::string> fields;
        for (const auto& [name, value] : parse_form(body))
            fields.emplace(name, std::string_view{value});
        BOOST_TEST((fields == expected), body);
    }
}

BOOST_AUTO_TEST_CASE(malformed_fields_are_refused_by_name_and_more_than_sixty_four) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"ok=1&a=%", "invalid_field a"}, {"a=%g0", "invalid_field a"},
        {"a=%00", "invalid_field a"},    {"a=%07", "invalid_field a"},
        {"a=%c3%28", "invalid_field a"}, {"%ff=1", "invalid_field"},
        {"a%0=1", "invalid_field"},
    };
    for (const auto& [body, expected] : rows)
        BOOST_TEST(outcome_of([&, &text = body] { parse_form(text); }) == expected, body);
    // The corpus of the fuzz target `form` holds the memory that this bounds.
    std::string body;
    for (int i = 0; i < 64; ++i) body += "&&a=1";
    BOOST_TEST(outcome_of([&] { parse_form(body); }) == "served");
    BOOST_TEST(outcome_of([&] { parse_form(body + "&b"); }) == "invalid_field");
}
