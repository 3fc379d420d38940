// Requests and what is read of them: header fields, cookies, bodies, and routes.
#include "tests/unit/test.hpp"
#include "web/body.hpp"
#include "web/header_value.hpp"
#include "web/message.hpp"
#include "web/router.hpp"
#include <boost/json/array.hpp>
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

/// "main a=1 b=2", or "none".
std::string read_value(std::string_view text) {
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
    for (const auto& [text, expected] : rows) BOOST_TEST(read_value(text) == expected, text);
    for (const auto* text :
         {" a/b\t; X = 1", "a/b;x=", "a/b;=1", "a/b;x", "a/b;", "a/b;;x=1", "a/b;x=1 2",
          "a/b;x=1;X=2", R"(f;n="a)", R"(f;n="a"b)", "f;n=\xc3\xa9"})
        BOOST_TEST(read_value(text) == "none", text);
    BOOST_TEST(main_value(" Application/JSON ; broken") == "application/json");
    BOOST_TEST(main_value("a/b;") == "a/b");
    BOOST_TEST(main_value("") == "");
}

std::string header_of(const Cookie& cookie) { return Response{}.set(cookie).headers.back().second; }
BOOST_AUTO_TEST_CASE(every_cookie_has_the_contracts_attributes_and_can_be_read_as_no_other) {
    const std::string attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax";
    BOOST_TEST(header_of({"__Host-a", "v-1_~"}) == "__Host-a=v-1_~" + attributes);
    BOOST_TEST(header_of({"__Host-a", "v", std::chrono::hours{1}}) ==
               "__Host-a=v" + attributes + "; Max-Age=3600");
    BOOST_TEST(header_of(forgotten("__Host-a")) == "__Host-a=" + attributes + "; Max-Age=0");
    BOOST_CHECK_THROW(header_of({"a", "v"}), usershell::Error);
    for (const char* const value :
         {"v; Domain=x", "v w", "v,w", "\"v\"", "v\\", "v\r\nX: y", "\x7f", "\xc3\xa9"})
        BOOST_CHECK_THROW(header_of({"__Host-a", value}), usershell::Error);
}
} // namespace

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

namespace {
const std::string type = "multipart/form-data; boundary=XX";
std::string part(const std::string& headers, const std::string& content) {
    return "--XX\r\n" + headers + "\r\n\r\n" + content + "\r\n";
}
std::string field(const std::string& name, const std::string& content) {
    return part("Content-Disposition: form-data; name=\"" + name + "\"", content);
}
std::string outcome(const std::string& content_type, const std::string& body) {
    return outcome_of([&] { parse_multipart(content_type, body); });
}
void all_are(const std::string& expected, const std::vector<std::string>& bodies) {
    for (const auto& body : bodies) BOOST_TEST(outcome(type, body) == expected, body);
}
const std::string disposition = "Content-Disposition: form-data; name=\"a\"";

BOOST_AUTO_TEST_CASE(a_browsers_form_is_read) {
    const std::string image{"\x89PNG\r\n\x1a\n\0--XX\r\r\n--X\n\xff", 21};
    const std::string body =
        part(disposition + "; filename=\"\"\r\nContent-Type: application/octet-stream", "") +
        field("token", "t\xc3\xa9xt") +
        part("Content-Disposition: form-data; name=\"Avatar\"; "
             "filename=\"../caf\xc3\xa9 %22x%22.png\"\r\n"
             "Content-Type: image/png",
             image) +
        field("token", "second") + "--XX--\r\n";
    const Form form = parse_multipart(type, body);
    BOOST_TEST(form.fields.size() == 1U);
    BOOST_TEST((form.fields.at("token") == "t\xc3\xa9xt"));
    BOOST_REQUIRE(form.files.size() == 2U);
    BOOST_TEST(form.files.at("a").empty());
    BOOST_TEST(form.files.at("Avatar") == image);
}

BOOST_AUTO_TEST_CASE(content_types_carry_the_boundary) {
    const std::string body = field("a", "1") + "--XX--\r\n";
    for (const auto* const good :
         {"multipart/form-data; boundary=XX", "Multipart/Form-Data;BOUNDARY=\"XX\"",
          "multipart/form-data ; charset=utf-8; boundary=XX "})
        BOOST_TEST(outcome(good, body) == "served", good);
    for (const auto* const bad :
         {"multipart/form-data", "multipart/form-data; boundary=",
          "multipart/form-data; boundary=\"\"", "multipart/form-data; boundary=\"XX",
          "multipart/form-data; boundary=XX; boundary=YY", "multipart/form-data; boundary=YY",
          "multipart/form-data; boundary=\"X X \"", "multipart/form-data; boundary=\"X\r\nX\"",
          "multipart/mixed; boundary=XX", "text/plain; boundary=XX", ""})
        BOOST_TEST(outcome(bad, body) == "invalid_field", bad);
    for (const std::size_t size : {70U, 71U}) {
        const std::string boundary(size, '-');
        const std::string delimiter = "--" + boundary;
        std::string bounded = delimiter;
        bounded.append("\r\n").append(disposition).append("\r\n\r\n1\r\n");
        bounded.append(delimiter).append("--");
        BOOST_TEST(outcome("multipart/form-data; boundary=" + boundary, bounded) ==
                   (size == 70U ? "served" : "invalid_field"));
    }
}

BOOST_AUTO_TEST_CASE(bodies_that_are_no_form_are_refused) {
    const std::string one = field("a", "1");
    const std::string sixteen = repeated(one, 16);
    all_are("served", {sixteen + "--XX--", "--XX--", "--XX--\r\n",
                       "--XX \t\r\n" + disposition + "\r\n\r\n1\r\n--XX-- \r\n"});
    all_are("invalid_field",
            {sixteen + one + "--XX--", "", "--XX", "--XX\r\n", "preamble\r\n--XX--", one,
             one + "--XX", one + "--XX-", one + "--XX--\r\nepilogue", one + "--XX--epilogue",
             field("a", "1\r\n--XXY") + "--XX--", "--XX\n" + disposition + "\n\n1\n--XX--",
             "--XX\r\n\r\n1\r\n--XX--"});
    all_are("invalid_field a", {field("a", "\xff") + "--XX--", field("a", "1\0"s) + "--XX--"});
    // Changed bytes: the fuzz target `multipart`.
    const std::string whole =
        field("a", "1") + part(disposition + "; filename=\"f\"", "\r\n--X") + "--XX--";
    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(outcome(type, whole.substr(0, length)) == "invalid_field");
}

BOOST_AUTO_TEST_CASE(a_part_has_one_disposition_and_nothing_nested_or_encoded) {
    const std::string all_refused[] = {
        "",
        "Content-Type: text/plain",
        R"(Content-Disposition: attachment; name="a")",
        "Content-Disposition: form-data",
        disposition + "; name=\"b\"",
        disposition + "\r\n" + disposition,
        disposition + "; filename*=utf-8''x",
        disposition + "; filename=\"x",
        disposition + "\r\n folded: yes",
        disposition + "\r\nno colon",
        disposition + "\r\nbare: a\nb",
        "X: \0\r\n"s + disposition,
        disposition + "\r\nContent-Type: Multipart/Mixed; boundary=YY",
        disposition + "\r\nContent-Transfer-Encoding: base64",
        disposition + "\r\nX: " + std::string(2048, 'x'),
    };
    for (const std::string& headers : all_refused)
        BOOST_TEST(outcome(type, part(headers, "MQ==") + "--XX--") == "invalid_field", headers);
    const std::string binary = disposition + "\r\nContent-Transfer-Encoding: BINARY";
    BOOST_TEST(outcome(type, part(binary, "1") + "--XX--") == "served");
}

std::string parse_outcome(const std::string& body) {
    return outcome_of([&] { JsonBody::parse(body); });
}
void all_bodies_are(const std::string& outcome, const std::vector<std::string>& bodies) {
    for (const auto& body : bodies) BOOST_TEST(parse_outcome(body) == outcome, body);
}

BOOST_AUTO_TEST_CASE(what_is_read_and_what_is_refused) {
    all_bodies_are("served", {"", "{}", " \r\n\t{ \"a\" : 1 } \n", R"({"a":{"k":1},"b":{"k":1}})",
                              R"({"a":"line\r\n\tnext"})", R"({"a":"\ud83d\ude00"})"});
    all_bodies_are("malformed_json", {" ", "null", "[]", "\"a\"", "{", "{}x", "{}{}", "{},",
                                      "\xef\xbb\xbf{}", "{\"a\":1,}", "{'a':1}", "{a:1}",
                                      "{\"a\":1/*c*/}", "{\"a\":01}", "{\"a\":NaN}"});
    // Text that is none.
    all_bodies_are("malformed_json",
                   {"{\"a\":\"\xff\"}", "{\"a\":\"\xed\xa0\x80\"}", R"({"a":"\ud800"})",
                    "{\"a\":\"raw\nline\"}", "{\"a\":\"x\0y\"}"s, "{}\0"s});
    // A key that occurs twice, or that no object has.
    all_bodies_are("malformed_json", {R"({"a":1,"a":1})", R"({"a":1,"\u0061":2})",
                                      R"({"x":[{"y":{"a":1,"b":2,"a":3}}]})", R"({"a\u0000":1})"});
    all_bodies_are("invalid_field a", {R"({"a":"x\u0000y"})", R"({"a":"x\u001by"})",
                                       R"({"b":1,"a":{"deep":["\u0001"]},"c":2})", R"({"a":1e400})",
                                       R"({"a":[{"n":-1e400}]})"});
    all_bodies_are("invalid_field", {"[1e400]"});
}

BOOST_AUTO_TEST_CASE(depth_members_and_values_end_at_their_bounds) {
    const auto nested = [](std::size_t arrays) {
        return "{\"a\":" + std::string(arrays, '[') + std::string(arrays, ']') + "}";
    };
    const auto with_members = [](std::size_t members) {
        std::string object = "{\"0\":1";
        for (std::size_t i = 1; i < members; ++i) object += ",\"" + std::to_string(i) + "\":1";
        return "{\"a\":" + object + "},\"b\":" + object + "}}";
    };
    const auto with_values = [](std::size_t values) { // the object, the array and its elements
        return "{\"a\":[1" + repeated(",1", values - 3) + "]}";
    };
    all_bodies_are("served",
                   {nested(rules::max_json_depth - 1), with_members(rules::max_json_members),
                    with_values(rules::max_json_values)});
    all_bodies_are("malformed_json", {nested(rules::max_json_depth), nested(30000),
                                      with_members(rules::max_json_members + 1),
                                      with_values(rules::max_json_values + 1)});
}

BOOST_AUTO_TEST_CASE(long_text_comes_through_whole) {
    const std::string long_text = repeated("caf\xc3\xa9 \\u00e9 \\\\ ", 3000);
    const JsonBody body = JsonBody::parse(R"({"message":")" + long_text + R"("})");
    BOOST_TEST(*body.text("message") == repeated("caf\xc3\xa9 \xc3\xa9 \\ ", 3000));
}

BOOST_AUTO_TEST_CASE(members_are_typed) {
    const JsonBody body = JsonBody::parse(
        R"({"text":"t","empty":"","yes":true,"int":7,"whole":1.0,"half":0.5,"none":null,
            "list":[1,2],"object":{},"big":9223372036854775808,"huge":1e20,
            "least":-9223372036854775808})");
    BOOST_TEST(*body.text("text") == "t");
    BOOST_TEST(*body.text("empty") == "");
    BOOST_TEST(*body.boolean("yes"));
    BOOST_TEST(*body.integer("int") == 7);
    BOOST_TEST(*body.integer("whole") == 1);
    BOOST_TEST(*body.integer("least") == std::numeric_limits<std::int64_t>::min());
    BOOST_TEST(*body.number("half") == 0.5);
    BOOST_TEST(*body.number("int") == 7.0);
    BOOST_TEST(body.list("list")->size() == 2U);
    BOOST_TEST(*body.text_view("text") == "t");
    for (const auto* field : {"none", "absent"})
        BOOST_TEST((!body.text(field) && !body.text_view(field) && !body.boolean(field) &&
                    !body.integer(field) && !body.number(field) && body.list(field) == nullptr),
                   field);
}

BOOST_AUTO_TEST_CASE(a_member_of_another_type_is_named) {
    const JsonBody body = JsonBody::parse(
        R"({"text":"1","number":1,"half":0.5,"big":9223372036854775808,"huge":1e20})");
    const auto outcome = [&](auto call) { return outcome_of([&] { call(body); }); };
    BOOST_TEST(outcome([](const auto& b) { b.text("number"); }) == "invalid_field number");
    BOOST_TEST(outcome([](const auto& b) { b.boolean("text"); }) == "invalid_field text");
    BOOST_TEST(outcome([](const auto& b) { b.boolean("number"); }) == "invalid_field number");
    BOOST_TEST(outcome([](const auto& b) { b.integer("text"); }) == "invalid_field text");
    BOOST_TEST(outcome([](const auto& b) { b.integer("half"); }) == "invalid_field half");
    BOOST_TEST(outcome([](const auto& b) { b.integer("big"); }) == "invalid_field big");
    BOOST_TEST(outcome([](const auto& b) { b.integer("huge"); }) == "invalid_field huge");
    BOOST_TEST(outcome([](const auto& b) { b.number("text"); }) == "invalid_field text");
    BOOST_TEST(outcome([](const auto& b) { b.list("text"); }) == "invalid_field text");
    BOOST_TEST(outcome([](const auto& b) { b.text_view("number"); }) == "invalid_field number");
}

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
const std::vector<Row> route_rows = {
    {Method::get, "/", 1},
    {Method::get, "/items/list", 2},
    {Method::post, "/items/create", 3},
    {Method::put, "/items/{id}", 4},
    {Method::delete_, "/items/{id}", 5},
    {Method::post, "/items/{id}/parts/{part}", 6},
};
/// The row's number and parameters, or the allowed methods, or 404.
std::string routed(Method method, std::string_view path) {
    const auto match = find_route(route_rows, method, path);
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
