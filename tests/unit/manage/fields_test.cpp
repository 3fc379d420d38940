#include "manage/providers/fields.hpp"

#include "tests/unit/web/refusal_check.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace usershell;
using namespace usershell::test;
using namespace usershell::manage;

namespace {

using Given = std::optional<std::string>;

std::string repeated(const std::string& piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
}

/// What `read` gives, or how it refuses.
template <class Read>
std::string value_or_refusal(Read read) {
    std::string value;
    const std::string outcome = outcome_of([&] { value = read(); });
    return outcome == "served" ? value : outcome;
}

/// Every control character that JSON or a form lets into a string, and those of Unicode.
const std::vector<std::string> controls{
    std::string(1, '\0'), "\x01",     "\t",           "\n",          "\r", "\x1f", "\x7f",
    "\xc2\x80",           "\xc2\x9f", "\xe2\x80\xa8", "\xe2\x80\xa9"};

} // namespace

BOOST_AUTO_TEST_SUITE(fields)

BOOST_AUTO_TEST_CASE(names) {
    const std::string emoji = "\xf0\x9f\x98\x80"; // four bytes, one code point
    const struct {
        Given given;
        std::string result;
    } table[] = {
        {std::nullopt, "missing_field name"},
        {"", "missing_field name"},
        {" \t\xc2\xa0\xe3\x80\x80 ", "missing_field name"},
        {"a", "a"},
        {"  My  provider \n", "My  provider"},
        {"\xe3\x80\x80"
         "Grün\xc2\xa0",
         "Grün"},
        {std::string(100, 'x'), std::string(100, 'x')},
        {std::string(101, 'x'), "invalid_field name"},
        {"  " + std::string(100, 'x') + "  ", std::string(100, 'x')},
        {repeated(emoji, 100), repeated(emoji, 100)},
        {repeated(emoji, 101), "invalid_field name"},
        {"<b>&\"'", "<b>&\"'"},
    };
    for (const auto& row : table)
        BOOST_TEST(value_or_refusal([&] { return name_field(row.given); }) == row.result);
}

BOOST_AUTO_TEST_CASE(no_control_character_inside_a_text) {
    for (const std::string& control : controls) {
        const std::string text = "a" + control + "b";
        BOOST_TEST(value_or_refusal([&] { return name_field(text); }) == "invalid_field name");
        BOOST_TEST(value_or_refusal([&] { return model_id_field(text); }) ==
                   "invalid_field modelId");
        BOOST_TEST(value_or_refusal([&] { return model_name_field(text, "m"); }) ==
                   "invalid_field displayName");
    }
}

BOOST_AUTO_TEST_CASE(types) {
    BOOST_TEST(type_field(std::nullopt).value == "generic-compatible");
    for (const ProviderType& type : provider_types())
        BOOST_TEST(&type_field(std::string{type.value}) == &type);
    for (const char* const wrong :
         {"", " ", "OpenAI", "openai ", "gpt", "google_gemini", "Generic-Compatible"})
        BOOST_TEST(outcome_of([&] { type_field(wrong); }) == "invalid_field type", wrong);
}

BOOST_AUTO_TEST_CASE(api_keys) {
    const struct {
        Given given;
        std::string result;
    } table[] = {
        {std::nullopt, "missing_field apiKey"},
        {"", "missing_field apiKey"},
        {" \t\r\n ", "missing_field apiKey"},
        {"k", "k"},
        {"\n sk-abc_DEF.123/+=~! \r\n", "sk-abc_DEF.123/+=~!"},
        {std::string(4096, 'k'), std::string(4096, 'k')},
        {std::string(4097, 'k'), "invalid_field apiKey"},
        {"  " + std::string(4096, 'k') + "  ", std::string(4096, 'k')},
        {"sk abc", "invalid_field apiKey"},
        {"sk\tabc", "invalid_field apiKey"},
        {"sk\r\nHost: evil", "invalid_field apiKey"},
        {"sk-\xc3\xa4", "invalid_field apiKey"},
        {"sk-\x7f", "invalid_field apiKey"},
        {"sk-\xff", "invalid_field apiKey"},
    };
    for (const auto& row : table) {
        Given given = row.given;
        const std::string result =
            value_or_refusal([&] { return std::string{api_key_field(given).reveal()}; });
        BOOST_TEST(result == row.result);
        BOOST_TEST(given.value_or("").empty(), "what was given is wiped");
    }
}

BOOST_AUTO_TEST_CASE(a_refused_key_is_not_repeated) {
    Given given = "sk-canary with a space";
    try {
        api_key_field(given);
        BOOST_ERROR("taken");
    } catch (const Refusal& refusal) {
        BOOST_TEST(refusal.sentence().find("canary") == std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(statuses) {
    BOOST_TEST(status_field("active"));
    BOOST_TEST(!status_field("inactive"));
    BOOST_TEST(outcome_of([] { status_field(std::nullopt); }) == "missing_field status");
    for (const char* const wrong : {"", "Active", "ACTIVE", " active", "enabled", "true", "1"})
        BOOST_TEST(outcome_of([&] { status_field(wrong); }) == "invalid_field status", wrong);
}

BOOST_AUTO_TEST_CASE(model_ids) {
    const std::string sharp = "\xc3\x9f";
    const struct {
        Given given;
        std::string result;
    } table[] = {
        {std::nullopt, "missing_field modelId"},
        {"", "missing_field modelId"},
        {"  ", "missing_field modelId"},
        {"gpt-5", "gpt-5"},
        {"meta-llama/Llama-3.3-70B:free", "meta-llama/Llama-3.3-70B:free"},
        {" a b ", "a b"},
        {"../%2f?x=1&y#z", "../%2f?x=1&y#z"},
        {std::string(200, 'm'), std::string(200, 'm')},
        {std::string(201, 'm'), "invalid_field modelId"},
        {repeated(sharp, 200), repeated(sharp, 200)},
        {repeated(sharp, 201), "invalid_field modelId"},
    };
    for (const auto& row : table)
        BOOST_TEST(value_or_refusal([&] { return model_id_field(row.given); }) == row.result);
}

BOOST_AUTO_TEST_CASE(model_names_default_to_the_id) {
    const struct {
        Given given;
        std::string result;
    } table[] = {
        {std::nullopt, "the-id"},
        {"", "the-id"},
        {" \t ", "the-id"},
        {" My model ", "My model"},
        {std::string(200, 'n'), std::string(200, 'n')},
        {std::string(201, 'n'), "invalid_field displayName"},
    };
    for (const auto& row : table)
        BOOST_TEST(value_or_refusal([&] { return model_name_field(row.given, "the-id"); }) ==
                   row.result);
}

BOOST_AUTO_TEST_CASE(capabilities) {
    const std::string all = "generation,assistant,reasoning,vision,tools,code,embedding,rerank,"
                            "image,audio,video,moderation,search,fetch";
    const struct {
        Given given;
        std::string result;
    } table[] = {
        {std::nullopt, "missing_field capabilities"},
        {"", "invalid_field capabilities"},
        {" ", "invalid_field capabilities"},
        {",", "invalid_field capabilities"},
        {" , ,, ", "invalid_field capabilities"},
        {"generation", "generation"},
        {default_capabilities, "generation,assistant"},
        {"tools,code", "tools,code"},
        {"code,tools", "code,tools"},
        {" Vision ,\tCODE,, ", "vision,code"},
        {"code,vision,Code,CODE,vision", "code,vision"},
        {all, all},
        {"generation,flying", "invalid_field capabilities"},
        {"generation;assistant", "invalid_field capabilities"},
        {"generation assistant", "invalid_field capabilities"},
        {"gen\0eration", "invalid_field capabilities"},
        {"VISİON", "invalid_field capabilities"},
    };
    for (const auto& row : table)
        BOOST_TEST(value_or_refusal([&] { return capabilities_field(row.given); }) == row.result);
}

BOOST_AUTO_TEST_CASE(an_unknown_capability_is_answered_with_the_words_there_are) {
    try {
        capabilities_field("flying");
        BOOST_ERROR("taken");
    } catch (const Refusal& refusal) {
        for (const char* const word : {"generation", "assistant", "rerank", "fetch"})
            BOOST_TEST(refusal.sentence().find(word) != std::string::npos, word);
    }
}

BOOST_AUTO_TEST_CASE(priorities) {
    for (const int good : {0, 1, 999, 1000}) BOOST_TEST(priority_field(good) == good);
    for (const std::int64_t wrong :
         {std::int64_t{-1}, std::int64_t{1001}, std::int64_t{1} << 32U,
          std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()})
        BOOST_TEST(outcome_of([&] { priority_field(wrong); }) == "invalid_field priority");
}

BOOST_AUTO_TEST_SUITE_END()
