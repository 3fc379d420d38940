#include "tests/unit/test.hpp"
#include "web/router.hpp"
using namespace usershell::web;
namespace {
/// "no", or the parameters as "name=value,".
std::string matched(std::string_view pattern, std::string_view path) {
    PathParameters parameters;
    if (!match_path(pattern, path, parameters)) return "no";
    std::string text;
    for (const auto& [name, value] : parameters)
        text.append(name).append("=").append(value).append(",");
    return text;
}
void none_match(std::string_view pattern, const std::vector<std::string>& paths) {
    for (const auto& path : paths)
        BOOST_TEST(matched(pattern, path) == "no", pattern << " on " << path);
}
struct Row {
    Method method;
    std::string_view pattern;
    int number;
};
const std::vector<Row> table = {
    {Method::get, "/", 1},
    {Method::get, "/items/list", 2},
    {Method::post, "/items/create", 3},
    {Method::put, "/items/{id}", 4},
    {Method::delete_, "/items/{id}", 5},
    {Method::post, "/items/{id}/parts/{part}", 6},
};
/// The row's number and parameters, or the allowed methods, or 404.
std::string routed(Method method, std::string_view path) {
    const auto match = find_route(table, method, path);
    if (match.row != nullptr) {
        std::string text = std::to_string(match.row->number);
        for (const auto& [name, value] : match.parameters)
            text.append(" ").append(name).append("=").append(value);
        return text;
    }
    if (match.allowed.empty()) return "404";
    std::string text = "405";
    for (const Method allowed : match.allowed) text += " " + std::string{name_of(allowed)};
    return text;
}

BOOST_AUTO_TEST_CASE(paths_match_segment_by_segment) {
    BOOST_TEST(matched("/", "/") == "");
    none_match("/", {"", "//", "/a"});
    none_match("/a", {"/"});
    BOOST_TEST(matched("/a/b", "/a/b") == "");
    none_match("/a/b", {"/a/B", "/a/b/", "/a//b", "//a/b", "a/b", "/a", "/a/b/c", "/a/./b",
                        "/a/c/../b", "/a/%62"});
    BOOST_TEST(matched("/a/{id}", "/a/7") == "id=7,");
    BOOST_TEST(matched("/a/{id}", "/a/7.x~-_") == "id=7.x~-_,");
    BOOST_TEST(matched("/a/{id}", "/a/...") == "id=...,");
    none_match("/a/{id}", {"/a/", "/a/.", "/a/..", "/a/x%2fy", "/a/%00", "/a/x\\y", "/a/x y",
                           "/a/\xc3\xa9", "/a/x\0y"s, "/a/7/b"});
    BOOST_TEST(matched("/a/{id}/b/{part}", "/a/7/b/8") == "id=7,part=8,");
    none_match("/a/{id}/b/{part}", {"/a/7/c/8"});
}

BOOST_AUTO_TEST_CASE(the_table_names_the_row_the_allowed_methods_or_nothing) {
    BOOST_TEST(routed(Method::get, "/") == "1");
    BOOST_TEST(routed(Method::head, "/items/list") == "2");
    BOOST_TEST(routed(Method::post, "/items/create") == "3");
    BOOST_TEST(routed(Method::put, "/items/9") == "4 id=9");
    BOOST_TEST(routed(Method::delete_, "/items/9") == "5 id=9");
    BOOST_TEST(routed(Method::post, "/items/9/parts/2") == "6 id=9 part=2");
    BOOST_TEST(routed(Method::post, "/items/9") == "405 PUT DELETE");
    BOOST_TEST(routed(Method::other, "/items/9") == "405 PUT DELETE");
    BOOST_TEST(routed(Method::delete_, "/items/list") == "405 GET");
    BOOST_TEST(routed(Method::head, "/items/create") == "405 POST");
    BOOST_TEST(routed(Method::get, "/items") == "404");
    BOOST_TEST(routed(Method::get, "/items/9/parts") == "404");
}
} // namespace
