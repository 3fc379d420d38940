#include "tests/unit/test.hpp"
#include "web/message.hpp"
using namespace usershell::web;
namespace {
Request with_header(const std::string& name, const std::vector<std::string>& values) {
    Request request;
    for (const auto& value : values) request.headers.emplace(name, value);
    return request;
}
Request with_query(const std::string& query) {
    Request request;
    request.query = query;
    return request;
}
/// "none" for nothing, else the text in angle brackets.
std::string shown(const std::optional<std::string_view>& value) {
    return value ? "<" + std::string{*value} + ">" : "none";
}

BOOST_AUTO_TEST_CASE(methods_are_read_as_they_stand_and_a_header_that_stands_once_is_trimmed) {
    for (const auto& name : {"GET", "HEAD", "POST", "PUT", "DELETE"})
        BOOST_TEST(name_of(parse_method(name)) == name);
    for (const auto& name : {"get", "PATCH", "OPTIONS", "", "GET ", "CONNECT"})
        BOOST_TEST((parse_method(name) == Method::other), name);
    BOOST_TEST(shown(with_header("accept", {" a b \t"}).header("accept")) == "<a b>");
    BOOST_TEST(shown(with_header("accept", {"   "}).header("accept")) == "<>");
    BOOST_TEST(shown(with_header("accept", {}).header("accept")) == "none");
    BOOST_TEST(shown(with_header("accept", {"a", " a"}).header("accept")) == "<a>");
    BOOST_TEST(shown(with_header("accept", {"a", "b"}).header("accept")) == "none");
}

BOOST_AUTO_TEST_CASE(a_cookie_is_found_by_its_exact_name_and_only_once) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"id=1", "<1>"},         {"other=2; id=1", "<1>"}, {"other=2;id=1;", "<1>"},
        {" id = 1 ", "<1>"},     {"id=a=b", "<a=b>"},      {"id=", "<>"},
        {"id=\"1\"", "<\"1\">"},
    };
    for (const auto& [cookies, expected] : rows)
        BOOST_TEST(shown(with_header("cookie", {cookies}).cookie("id")) == expected, cookies);
    for (const auto* none : {"ID=1", "idx=1", "x=id=1", "id=1; id=1", "id=1; id=2", "", ";;;"})
        BOOST_TEST(shown(with_header("cookie", {none}).cookie("id")) == "none", none);
    BOOST_TEST(shown(with_header("cookie", {"id=1", "id=2"}).cookie("id")) == "none");
}

BOOST_AUTO_TEST_CASE(a_query_value_is_decoded_strictly) {
    const std::vector<std::pair<std::string, std::string>> rows = {
        {"m=gpt", "<gpt>"},
        {"a=1&m=org%2Fmodel+x", "<org/model x>"},
        {"%6D=1", "<1>"},
        {"m", "<>"},
        {"m=", "<>"},
        {"m=a=b", "<a=b>"},
        {"m=%C3%A9", "<\xc3\xa9>"},
        {"m=1&bad=%zz", "<1>"},
    };
    for (const auto& [query, expected] : rows)
        BOOST_TEST(shown(with_query(query).query_value("m")) == expected, query);
    for (const auto* none : {"M=1", "", "&&", "m=1&m=1", "m=1&%6d=2", "m=%", "m=%4", "m=%4g",
                             "m=%00", "m=%1b", "m=%ff", "m=%ed%a0%80"})
        BOOST_TEST(shown(with_query(none).query_value("m")) == "none", none);
}

BOOST_AUTO_TEST_CASE(a_type_is_asked_for_by_its_name) {
    for (const auto* accept :
         {"text/html", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
          "application/json, Text/HTML ; level=1", "text/html;q=0.1"})
        BOOST_TEST(with_header("accept", {accept}).asks_for("text/html"), accept);
    for (const auto* accept : {"text/html;q=0", "text/html; q=0.000", "*/*", "text/*", "text/htmlx",
                               "x-text/html", "text/html;q", ""})
        BOOST_TEST(!with_header("accept", {accept}).asks_for("text/html"), accept);
    BOOST_TEST(!Request{}.asks_for("text/html"));
    BOOST_TEST(with_header("content-type", {"Application/JSON ;charset=utf-8"}).media_type() ==
               "application/json");
    BOOST_TEST(Request{}.media_type() == "");
}

BOOST_AUTO_TEST_CASE(set_replaces_a_header_and_adds_a_cookie) {
    Response response;
    response.set("Allow", "GET").set("allow", "POST");
    response.set(Cookie{"__Host-a", "1"}).set(Cookie{"__Host-a", "2"});
    BOOST_REQUIRE(response.headers.size() == 3U);
    BOOST_TEST(response.headers[0].second == "POST");
    const std::string attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax";
    BOOST_TEST(response.headers[1].second == "__Host-a=1" + attributes);
    BOOST_TEST(response.headers[2].second == "__Host-a=2" + attributes);
}
} // namespace
