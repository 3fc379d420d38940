// Which of a provider's words are shown, and which its errors are understood by.
#include "adapters/causes/causes.hpp"
#include "adapters/errors/provider_words.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::adapters;
namespace {
using Row = std::pair<std::string, std::string>; ///< a text, and what is kept; "#" is the mark
void expect(std::string (*reading)(std::string_view), const std::vector<Row>& rows) {
    for (const auto& [text, expected] : rows) {
        std::string kept = reading(text);
        for (std::size_t at; (at = kept.find(hidden_mark)) != std::string::npos;)
            kept.replace(at, hidden_mark.size(), "#");
        BOOST_TEST(kept == expected, text);
    }
}

BOOST_AUTO_TEST_CASE(known_words_and_short_numbers_are_shown) {
    expect(
        shown_words,
        {
            {"Incorrect API key provided: sk-ab***yz.", "Incorrect API key provided: #"},
            {"The model `gpt-9` does not exist", "The model # does not exist"},
            {"Unsupported parameter: 'max_tokens'.", "Unsupported parameter: 'max_tokens'."},
            {"(rate limit) [\"error\"]", "(rate limit) [\"error\"]"},
            {"\"'(error)'\"", ""}, // more than two signs at an edge
            {"limit 8192, 123456; 1234567", "limit 8192, 123456; #"},
            {"key=error", ""},
            {"error-error", ""},
            {"API API_KEY_INVALID DeploymentNotFound", "API API_KEY_INVALID DeploymentNotFound"},
            {"see https://example.com/error", "see #"},
            {"POST /v1/chat/completions", "POST /v1/chat/completions"},
            {"correct-horse correct", "# correct"},
            {"xq yq \t zq\nerror", "# error"}, // neighbouring marks are one
            {"9 > 10, 188240 + 21333 >= 200000 | 50%", "9 > 10, 188240 + 21333 >= 200000 | 50%"},
            {"0.5 [0.0, 2.0] 200,000 1,048,576", "0.5 [0.0, 2.0] 200,000 #"},
            {"1.2.3 10.0.0.1 1e5 0x10 12-34", ""},
            {"messages.0.content[1].text: #/max_tokens body.stream_options.include_usage",
             "messages.0.content[1].text: #/max_tokens body.stream_options.include_usage"},
            {"`$.tools[0].function` temperature=0.5 'role'='system'",
             "`$.tools[0].function` temperature=0.5 'role'='system'"},
            {"messages.1234567 model=gpt-9 content.secret data:image/png;base64,AA= a.b 1.2=3", ""},
            {">q >>> =+=", ""},
            {"", ""},
            {" . ", ""},
        });
}

BOOST_AUTO_TEST_CASE(characters_beyond_ascii_are_shown_unless_they_become_ascii) {
    expect(shown_words, {
                            {"无效的令牌 xq，error。", "无效的令牌 #，error。"},
                            {"“error” – «key»", "“error” – «key»"},
                            {"clé", "#é"},
                            {"error \uff53\uff4b", "error #"},  // full width "sk"
                            {"error \u2460 \u2163", "error #"}, // a circled 1, the Roman four
                            {"error\u00a0key", "error\u00a0key"},
                            {"\x1b[31m error\x07", "# error"},
                            {"error \xff", "error \ufffd"},
                        });
}

BOOST_AUTO_TEST_CASE(long_runs_are_read_only_when_they_are_known) {
    expect(readable_words, {
                               {"Bad Key abcdefghijklmno", "bad key abcdefghijklmno"},
                               {"bad key abcdefghijklmnop", "bad key #"},
                               {"'max_completion_tokens' insufficient_quota",
                                "'max_completion_tokens' insufficient_quota"},
                               {"context-length-exceeded", "#"},
                               {"body.stream_options: x", "body.stream_options: x"},
                               {"body.stream_optionz: x", "# x"},
                           });
}

// A run that were hidden would never be found. A run of a phrase that is short is never hidden.
BOOST_AUTO_TEST_CASE(the_table_of_causes_speaks_in_words_that_are_read) {
    for (const Cause& cause : causes()) {
        std::string signs{cause.signs};
        for (const char mark : {'|', '=', '*'}) std::ranges::replace(signs, mark, ' ');
        BOOST_TEST(readable_words(signs) == signs);
    }
}

BOOST_AUTO_TEST_CASE(a_cut_text_loses_its_last_run_and_only_words_of_the_list_are_found) {
    BOOST_TEST(cut_at_blank("one two", 7) == "one two");
    BOOST_TEST(cut_at_blank("one two", 6) == "one");
    BOOST_TEST(cut_at_blank("onetwo", 5) == "");
    std::string text;
    while (text.size() < 1022) text += "error ";
    BOOST_TEST(shown_words(text + "errorly").size() == 1019U);
    BOOST_TEST(shown_words(std::string(5000, 'x')) == "");
    for (const char* word :
         {"", " ", "a able", "able\nabout", "erro", "errors2", "~", "0", "errorsed", "aing"})
        BOOST_TEST(!is_known_word(word), word);
    for (const char* word : {"a", "able", "zones", "error", "v1/chat/completions", "used", "using",
                             "model's", "insufficient_quota", "depleted"})
        BOOST_TEST(is_known_word(word), word);
}
} // namespace
