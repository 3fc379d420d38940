// What is blanked of a provider's words, and what is left.
#include "adapters/errors/redaction.hpp"
#include "base/text.hpp"
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

struct Row {
    std::string text;
    std::string shown; ///< "#" stands for the mark
};

std::string redacted(std::string_view text, const CallTexts& call) {
    std::string shown = Redactor{call}.redacted(text);
    for (std::size_t at; (at = shown.find("••••")) != std::string::npos;)
        shown.replace(at, std::string_view{"••••"}.size(), "#");
    return shown;
}

void expect(const CallTexts& call, const std::vector<Row>& rows) {
    for (const auto& row : rows) BOOST_TEST(redacted(row.text, call) == row.shown, row.text);
}

/// Is a part of the key of four characters or more in `text`?
bool leaks(std::string_view text, std::string_view key) {
    for (std::size_t at = 0; at + 4 <= key.size(); ++at)
        if (text.find(key.substr(at, 4)) != std::string_view::npos) return true;
    return false;
}

} // namespace

BOOST_AUTO_TEST_SUITE(redaction)

BOOST_AUTO_TEST_CASE(a_whole_key_is_hidden_however_it_is_written) {
    expect({"pass\"/word%+", {}}, {
                                      {"key pass\"/word%+ bad", "key # bad"},
                                      {"xpass\"/word%+y", "x#y"},
                                      {R"({"k":"pass\"\/word%+"})", R"({"k":"#"})"},
                                      {R"("{\"k\":\"pass\\\"/word%+\"}")", R"("{\"k\":\"#\"}")"},
                                      {R"(\u0070ass\u0022\u002fword%+)", "#"},
                                      {"?key=pass%22%2Fword%25%2b&x", "?key=#&x"},
                                      {"Basic cGFzcyIvd29yZCUr.", "Basic #."},
                                      {"Basic dTpwYXNzIi93b3JkJSs=", "Basic #="},
                                      {"token/cGFzcyIvd29yZCUr", "#"},
                                      {"pass\"/word%", "pass\"/word%"},
                                      {"PASS\"/WORD%+", "PASS\"/WORD%+"},
                                  });
    expect({"abc", {}}, {
                            {"the key is abc, not abcd", "the key is #, not abcd"},
                            {"'abc' x-abc abc", "'#' x-abc #"},
                            {"YWJj YWJjZA==", "# YWJjZA=="},
                            {"%61bc", "#"},
                        });
    expect({"", {}}, {{"text", "text"}, {"", ""}});
}

BOOST_AUTO_TEST_CASE(what_looks_like_a_key_is_hidden_whatever_the_key_is) {
    expect({"some-key", {}},
           {
               {"Incorrect API key provided: sk-ab***yz.", "Incorrect API key provided: #."},
               {"key sk-pro…WxYz!", "key #!"},
               {"key •••WxYz and ****", "key # and ****"},
               {"key AIza...XyZ, wait... done…", "key #, wait... #"},
               {"(sk-proj-ABCDEFGH12345678)", "(#)"},
               {"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "#"},
               {R"("sk-\u2022\u2022ab")", R"("#")"},
               {"fifteen-chars-0", "fifteen-chars-0"},
               {"invalid_authentication_error", "invalid_authentication_error"},
               {"See https://example.com/docs/rate-limits/v1",
                "See https://example.com/docs/rate-limits/v1"},
               {"maximum context length is 8192 tokens", "maximum context length is 8192 tokens"},
           });
}

BOOST_AUTO_TEST_CASE(the_callers_texts_are_hidden) {
    expect(
        {"k", {"org/Model x", "Straße", "Hi", "\u017funday morning", "a%20b", "  trimmed text\n"}},
        {
            {"The model `org/Model x` does not exist", "The model `#` does not exist"},
            {"ORG/MODEL X, org%2Fmodel%20X, org\\/model x", "#, #, #"},
            {"b3JnL01vZGVsIHg=", "#="},
            {"straße STRAßE", "# #"},
            {"Hi, this is hi", "#, this is #"},
            {"Sunday Morning", "#"},
            {"a%20b a%2520b", "# #"},
            {"trimmed text", "#"},
            {"org/Model xsunday morning", "#"}, // what touches becomes one mark
        });
    expect({"secret-0", {"model"}}, {{"model secret-0model", "# #model"}});
    expect({"12345678", {"4567"}}, {{"0123456789 4567", "0#9 #"}});
}

BOOST_AUTO_TEST_CASE(a_key_across_a_limit_leaves_nothing_behind) {
    const std::string key = "KeyMadeOfLettersOnly";
    BOOST_TEST(cut_at_blank("one two", 7) == "one two");
    BOOST_TEST(cut_at_blank("one two", 6) == "one");
    BOOST_TEST(cut_at_blank("onetwo", 5) == "");
    for (const std::size_t limit : {std::size_t{300}, std::size_t{4096}, std::size_t{65536}})
        for (std::size_t before = limit - key.size() - 20; before <= limit; ++before) {
            std::string text;
            while (text.size() < before) text += text.size() % 50 == 49 ? ' ' : 'x';
            text += " " + key + " " + std::string(100, 'y');
            for (const auto& body : {text, R"({"error":{"message":")" + text + "\"}}"}) {
                const auto heard = hear({.status = 400}, {body}, asking(), key);
                BOOST_TEST(!leaks(heard.error->sentence(), key), before);
                BOOST_TEST(count_code_points(heard.error->sentence()) < 400U);
            }
        }
    const auto cut = hear({.status = 400, .failure = net::HttpFailure::cut_off},
                          {"bad key KeyMadeOfLetters"}, asking(), key);
    BOOST_TEST(cut.error->sentence().ends_with("It said: bad key"));
}

BOOST_AUTO_TEST_CASE(many_texts_and_hostile_ones_take_little_time) {
    // Sizes only: what grew with the number of texts times their size would not end here.
    std::vector<std::string> texts;
    for (std::size_t size = 1; size < 1400; ++size) texts.emplace_back(size, 'a');
    for (int number = 0; number < 30'000; ++number) texts.push_back("m" + std::to_string(number));
    CallTexts call{"k", {texts.begin(), texts.end()}};
    BOOST_TEST(redacted(std::string(4096, 'a'), call) == "#");
    BOOST_TEST(redacted("m1 m29999 m30000", call) == "# # m30000");
}

BOOST_AUTO_TEST_SUITE_END()
