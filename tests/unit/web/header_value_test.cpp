#include "tests/unit/test.hpp"
#include "web/header_value.hpp"
using namespace usershell::web;
namespace {
/// "main a=1 b=2", or "none".
std::string shown(std::string_view text) {
    const auto value = parse_header_value(text);
    if (!value) return "none";
    std::string all = value->main;
    for (const auto& [name, parameter] : value->parameters)
        all.append(" ").append(name).append("=").append(parameter);
    return all;
}

BOOST_AUTO_TEST_CASE(a_main_part_and_its_parameters) {
    const std::pair<std::string, std::string> rows[] = {
        {"", ""},
        {"Text/HTML", "text/html"},
        {"a/b ;X=1 ; y=2 ", "a/b x=1 y=2"},
        {R"(f;n="a;b=c")", "f n=a;b=c"},
        {R"(f;n="")", "f n="},
        {R"(f;n="a\"b")", "f n=a\"b"},
        {R"(f;n="a\\b")", "f n=a\\b"},
        {R"(f;n="C:\dir\a")", "f n=C:\\dir\\a"},
        {"f;n=\"\xc3\xa9\"", "f n=\xc3\xa9"},
        {"f;filename*=utf-8''x", "f filename*=utf-8''x"},
    };
    for (const auto& [text, expected] : rows) BOOST_TEST(shown(text) == expected, text);
    for (const auto* text :
         {" a/b\t; X = 1", "a/b;x=", "a/b;=1", "a/b;x", "a/b;", "a/b;;x=1", "a/b;x=1 2",
          "a/b;x=1;X=2", R"(f;n="a)", R"(f;n="a"b)", "f;n=\xc3\xa9"})
        BOOST_TEST(shown(text) == "none", text);
    BOOST_TEST(main_value(" Application/JSON ; broken") == "application/json");
    BOOST_TEST(main_value("a/b;") == "a/b");
    BOOST_TEST(main_value("") == "");
}
} // namespace
