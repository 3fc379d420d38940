// The table of rules: what read() makes of a field, and that the table is whole.
#include "domain/rules.hpp"
#include "tests/unit/web/refusal_check.hpp"
#include <cmath>
#include <limits>
namespace {
using Given = std::optional<std::string>;
std::string stored(const rules::TextRule& rule, const Given& given) {
    std::string value;
    const std::string outcome = outcome_of([&] { value = rules::read(rule, given); });
    return outcome == "served" ? value : outcome;
}
const std::string emoji = "\xf0\x9f\x98\x80"; // four bytes, one code point

BOOST_AUTO_TEST_CASE(a_text_is_trimmed_and_counted_in_its_unit) {
    const std::tuple<const rules::TextRule&, Given, std::string> table[] = {
        {rules::provider_name, std::nullopt, "missing_field name"},
        {rules::provider_name, "", "missing_field name"},
        {rules::provider_name, " \t\xc2\xa0\xe3\x80\x80 ", "missing_field name"},
        {rules::provider_name, "\xe3\x80\x80Gr\xc3\xbcn\xc2\xa0", "Gr\xc3\xbcn"},
        {rules::provider_name, repeated(emoji, 100), repeated(emoji, 100)},
        {rules::provider_name, repeated(emoji, 101), "invalid_field name"},
        {rules::account_name, "  " + std::string(100, 'x') + "  ", std::string(100, 'x')},
        {rules::model_name, std::nullopt, ""},
        {rules::base_url, repeated("\xc3\xa4", 1024), repeated("\xc3\xa4", 1024)},
        {rules::base_url, repeated("\xc3\xa4", 1024) + "x", "invalid_field baseUrl"},
        {rules::api_key, std::string(4096, 'k'), std::string(4096, 'k')},
        {rules::api_key, std::string(4097, 'k'), "invalid_field apiKey"},
        {rules::api_key, "sk \xc3\xa4", "invalid_field apiKey"},
    };
    for (const auto& [rule, given, result] : table) BOOST_TEST(stored(rule, given) == result);
}

BOOST_AUTO_TEST_CASE(a_key_is_pasted_without_what_stood_around_it) {
    const std::pair<const char*, std::vector<const char*>> refused[] = {
        {"a link",
         {"https://platform.example.org/api-keys", "HTTP://a.example/sk-1", "www.a.example"}},
        {"only a placeholder",
         {"<your-key>", "${OPENAI_API_KEY}", "$OPENAI_API_KEY", "{{KEY}}", "%KEY%", "[key]"}},
        {"hidden by dots",
         {"sk-...abcd", "sk-\u2026abcd", "sk-***", "sk-ab\u2022\u2022\u2022cd", "\"sk-...abcd\""}},
        {"without the word",
         {"OPENAI_API_KEY=sk-1", "MISTRAL = sk-1", "export KEY=\"sk-1\"", "x-api-key: sk-1",
          "Authorization: Bearer sk-1", "Bearer sk-1", "apiKey=sk-1", "api_key:sk-1"}},
        {"quotation",
         {"\"sk-1\"", "'sk-1'", "`sk-1`", "\u201csk-1\u201d", "\u00absk-1\u00bb", "\"sk-1",
          "sk-1\",", "\"OPENAI_API_KEY\": \"sk-1\""}},
    };
    for (const auto& [said, texts] : refused)
        for (const char* const text : texts) {
            const std::string error = rules::error_in(rules::api_key, text).english();
            BOOST_TEST((has(error, said) && !has(error, "sk-")), text << ": " << error);
        }
    for (const char* const good :
         {"sk-abc_DEF-123.x", "YWJjZA==", "AbCdEf=", "0f8fad5b-d9cb-469f-a165-70867728950e:9c4e",
          "sk-it's~a*b**c..d", "a=b", "key-0123456789", "gsk_a=b", "$sk.1", "eyJh.eyJz.c-_A"})
        BOOST_TEST(rules::error_in(rules::api_key, good).empty(), good);
}

// Which controls there are: text_test.cpp, and tests/rules for the database.
BOOST_AUTO_TEST_CASE(lines_may_be_broken_and_a_line_may_not) {
    for (const auto* line : {&rules::provider_name, &rules::display_name, &rules::model_id,
                             &rules::model_name, &rules::api_key})
        for (const char* const text : {"a\nb", "a\x1b"})
            BOOST_TEST(!rules::error_in(*line, text).empty());
    for (const auto* lines : {&rules::message, &rules::system_prompt, &rules::history_content}) {
        BOOST_TEST(rules::error_in(*lines, "a\nb").empty());
        BOOST_TEST(!rules::error_in(*lines, "a\x1b").empty());
    }
}

BOOST_AUTO_TEST_CASE(numbers_keep_to_their_bounds) {
    for (const std::int64_t good : {0, 1, 999, 1000})
        BOOST_TEST(rules::read(rules::priority, good) == good);
    for (const std::int64_t wrong :
         {std::int64_t{-1}, std::int64_t{1001}, std::int64_t{1} << 32U,
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
        BOOST_TEST(outcome_of([&] { rules::read(rules::priority, wrong); }) ==
                   "invalid_field priority");
    BOOST_TEST(rules::read(rules::temperature, 1.5) == 1.5);
    for (const double wrong : {-0.01, 2.01, std::nan(""), HUGE_VAL})
        BOOST_TEST(outcome_of([&] { rules::read(rules::temperature, wrong); }) ==
                   "invalid_field temperature");
    BOOST_TEST((unavailable("Busy."_en, std::chrono::seconds{0}).retry_after() ==
                std::chrono::seconds{1}));
}

BOOST_AUTO_TEST_CASE(a_word_is_one_of_the_list_to_the_letter) {
    BOOST_TEST(rules::read(rules::status, "inactive") == 1U);
    BOOST_TEST(outcome_of([] { rules::read(rules::status, std::nullopt); }) ==
               "missing_field status");
    for (const char* const wrong : {"", "Active", " active", "enabled", "1"})
        BOOST_TEST(outcome_of([&] { rules::read(rules::status, wrong); }) ==
                   "invalid_field status");
}

BOOST_AUTO_TEST_CASE(every_constant_of_the_header_is_shared) {
    std::set<std::string> shared;
    for (const auto& row : rules::shared_rules().numbers) shared.insert(row.first);
    for (const auto& row : rules::shared_rules().words) shared.insert(row.first);
    const std::set<std::string> not_a_rule{"kib", "default_capabilities"};
    std::ifstream file{std::string{USERSHELL_SOURCE_DIR} + "/lib/domain/rules.hpp"};
    const std::string header{std::istreambuf_iterator<char>{file}, {}};
    static const std::regex constant{R"(\ninline constexpr (\S+) (\w+)[{ ])"};
    std::size_t found = 0;
    for (std::sregex_iterator row{header.begin(), header.end(), constant}, end; row != end; ++row) {
        const std::string kind = (*row)[1];
        const std::string name = (*row)[2];
        if (not_a_rule.contains(name) || kind == "std::string_view") continue;
        const bool bounds = kind == "TextRule" || kind == "NumberRule";
        BOOST_TEST(shared.contains(bounds ? "max_" + name : name), name);
        ++found;
    }
    BOOST_TEST(found > 40U);
}
} // namespace
