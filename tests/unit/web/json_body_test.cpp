#include "tests/unit/web/refusal_check.hpp"
#include "web/body.hpp"
#include <boost/json/array.hpp>
using namespace usershell::web;
namespace {
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
} // namespace
