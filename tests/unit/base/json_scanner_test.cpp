// What a scan of a JSON text shows, and what is none.
#include "base/json.hpp"
#include "tests/unit/test.hpp"
namespace {
/// Writes down what it is shown: "1 name value".
struct Recorder final : JsonVisitor {
    bool enter(std::size_t, std::string_view name, char) override { return name != "muted"; }
    void leave(std::size_t depth, std::string_view name, std::string_view value) override {
        seen.append(std::to_string(depth)).append(" ").append(name).append(" ").append(value);
        seen += ";";
    }
    std::string seen;
};
std::string seen_in(std::string_view text, std::size_t max_depth = 8) {
    Recorder recorder;
    return scan_json(text, max_depth, recorder) ? recorder.seen : "no JSON";
}
} // namespace
BOOST_AUTO_TEST_CASE(a_scan_shows_each_member_with_its_depth_and_text) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {R"({"a": 1, "b" : "x\"y" })", R"(1 a 1;1 b "x\"y";)"},
        {R"({"\u006dodel":[{"c":null},[]], "e":{}})",
         R"(3 c null;1 model [{"c":null},[]];1 e {};)"},
        {R"({"muted":{"x":{"y":1}},"z":{"w":-1.5e+3}})",
         R"(1 muted {"x":{"y":1}};2 w -1.5e+3;1 z {"w":-1.5e+3};)"},
        {" [1, {\"a\":true}]\n", "2 a true;"},
    };
    for (const auto& [text, seen] : table) BOOST_TEST(seen_in(text) == seen);
}
// NOLINTBEGIN(modernize-raw-string-literal): JSON among line ends
BOOST_AUTO_TEST_CASE(a_scan_takes_json_alone) {
    for (const std::string_view text : {"",
                                        "{",
                                        "}",
                                        "{\"a\"}",
                                        "{\"a\":}",
                                        "{\"a\":1,}",
                                        "{a:1}",
                                        "{'a':1}",
                                        "{\"a\":1}{}",
                                        "[1 2]",
                                        "[1,]",
                                        "{\"a\":nul}",
                                        "{\"a\":+1}",
                                        "{\"a\":\"\n\"}",
                                        "{\"a\":\"\\x\"}",
                                        "{\"a\":\"\\u12g4\"}",
                                        "{\"\\ud800\":1}",
                                        "\xef\xbb\xbf{}",
                                        "{\"a\":1/*c*/}",
                                        "{\"a\":{]}",
                                        "{\"a\":NaN}"})
        BOOST_TEST(seen_in(text) == "no JSON", text);
    BOOST_TEST(seen_in("[[[1]]]", 3) == "");
    BOOST_TEST(seen_in("[[[[1]]]]", 3) == "no JSON");
}
// NOLINTEND(modernize-raw-string-literal)
