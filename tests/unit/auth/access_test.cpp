// The page of access tokens: what its form takes, which model a tool's settings name, and usage.
#include "auth/access/token_form.hpp"
#include "auth/access/usage.hpp"

#include "base/ascii.hpp"

#include <boost/test/unit_test.hpp>

using namespace usershell;
using namespace usershell::auth;

namespace {

const auto openai = *ProviderId::parse("0f8fad5b-d9cb-469f-a165-70867728950e");
const auto claude = *ProviderId::parse("1f8fad5b-d9cb-469f-a165-70867728950e");
const auto search = *ProviderId::parse("2f8fad5b-d9cb-469f-a165-70867728950e");

const std::vector<store::TokenChoice> choices{
    {search, "Search", "search", find_provider_type("tavily"), {"m"}, {"m"}},
    {openai,
     "OpenAI",
     "openai",
     find_provider_type("mistral"),
     {"bad'; rm -rf ~", "a/b", "sonnet"},
     {"bad'; rm -rf ~", "a/b", "sonnet@openai"}},
    {claude, "Claude", "claude", find_provider_type("anthropic"), {"sonnet"}, {"sonnet@claude"}}};

TokenForm form_of(const std::string& more) {
    return TokenForm{web::parse_form("Name=%20Laptop&Days=30&RequestsAMinute=60" + more)};
}

store::UsageRow used(const std::string& day, const std::string& token, const std::string& provider,
                     std::int64_t tokens) {
    return {.day = day,
            .token = token,
            .token_name = token.size() == 1 ? "token " + token : "",
            .provider = provider,
            .provider_name = provider.empty() ? "" : "provider " + provider,
            .model = "m",
            .calls = 2,
            .failures = 1,
            .estimates = 1,
            .input_tokens = tokens,
            .output_tokens = 1};
}

} // namespace

BOOST_AUTO_TEST_SUITE(access_page_parts)

BOOST_AUTO_TEST_CASE(a_form_says_a_tokens_limits) {
    TokenForm form = form_of("&TokensADay=1000&Providers." + openai.text() +
                             "=true&Models=openai%2Fa%2Fb%0D%0A%0D%0Asonnet%40claude%0Aa%2Fb&"
                             "Routes.chat=true&StoredObjects=true");
    const auto limits = limits_of(form, choices);
    BOOST_REQUIRE(limits);
    BOOST_TEST(limits->name == "Laptop");
    BOOST_TEST((limits->lifetime == std::chrono::days{30}));
    BOOST_TEST(limits->requests_a_minute == 60);
    BOOST_TEST((limits->tokens_a_day == 1000));
    BOOST_TEST((limits->providers == std::vector{openai}));
    BOOST_TEST((limits->models ==
                std::vector<std::string>{openai.text() + "/a/b", claude.text() + "/sonnet"}));
    BOOST_TEST((limits->routes == std::vector<std::string>{"chat"}));
    BOOST_TEST(limits->stored_objects);
    TokenForm plain = form_of("&LaterProviders=true");
    const auto none = limits_of(plain, choices);
    BOOST_REQUIRE(none);
    BOOST_TEST((!none->tokens_a_day && none->providers.empty() && none->models.empty() &&
                none->routes.empty() && !none->stored_objects));
    TokenForm usual = form_of("");
    BOOST_TEST((limits_of(usual, choices)->providers == std::vector{search, openai, claude}));
    TokenForm early = form_of("");
    BOOST_TEST(limits_of(early, {})->providers.empty());
}

BOOST_AUTO_TEST_CASE(a_life_is_chosen_or_typed) {
    const std::pair<const char*, int> rows[] = {
        {"", 30}, {"&Life=own", 30}, {"&Life=7", 7}, {"&Life=365", 365}};
    for (const auto& [more, days] : rows) {
        TokenForm form = form_of(more);
        BOOST_TEST((limits_of(form, choices)->lifetime == std::chrono::days{days}), more);
    }
    for (const char* more : {"&Life=366", "&Life=keep", "&Life=x"}) {
        TokenForm form = form_of(more);
        BOOST_TEST((!limits_of(form, choices) && form.errors.contains("DAYS_ERROR")), more);
    }
}

/// A token as it is, whose form is sent back unchanged.
BOOST_AUTO_TEST_CASE(a_change_keeps_what_its_form_shows_and_widens_nothing_unsaid) {
    store::AccessToken token{.id = *AccessTokenId::parse(claude.text()),
                             .name = "desk",
                             .selector = "s",
                             .provider_ids = std::vector{claude.text()},
                             .providers = std::vector<std::string>{"Claude"},
                             .model_ids = std::vector<std::string>{claude.text() + "/off"},
                             .models = std::vector<std::string>{"off@claude"},
                             .routes = std::vector<std::string>{"chat"},
                             .requests_a_minute = 7,
                             .tokens_a_day = 9,
                             .stored_objects = true};
    TokenForm form{token};
    const auto same = limits_of(form, choices, &token).value();
    BOOST_TEST((same.name == "desk" && !same.lifetime && same.requests_a_minute == 7));
    BOOST_TEST((same.providers == std::vector{claude} && same.models == *token.model_ids));
    BOOST_TEST((same.routes == *token.routes && same.tokens_a_day == 9 && same.stored_objects));
    token.provider_ids = token.providers = token.model_ids = token.models =
        std::vector<std::string>{}; // what it names is gone
    TokenForm empty{token};
    BOOST_TEST(!limits_of(empty, choices, &token));
    BOOST_TEST((empty.errors.size() == 2U && empty.errors.contains("PROVIDERS_ERROR") &&
                empty.errors.contains("MODELS_ERROR")));
    TokenForm alone{token};
    BOOST_TEST(!limits_of(alone, {}, &token));
}

BOOST_AUTO_TEST_CASE(what_breaks_a_rule_is_refused_beside_its_field) {
    const std::pair<std::string, const char*> rows[] = {
        {"Name=+&Days=1&RequestsAMinute=1", "LABEL_ERROR"},
        {"Name=n&Days=0&RequestsAMinute=1", "DAYS_ERROR"},
        {"Name=n&Days=366&RequestsAMinute=1", "DAYS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=many", "REQUESTS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=1&TokensADay=0", "TOKENS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=1&Providers.x=true", "PROVIDERS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=1&LaterProviders=true&Providers." + openai.text() + "=true",
         "PROVIDERS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=1&Models=sonnet", "MODELS_ERROR"}, // of two
        {"Name=n&Days=1&RequestsAMinute=1&Models=m%40claude", "MODELS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=1&Models=search/sonnet", "MODELS_ERROR"},
        {"Name=n&Days=1&RequestsAMinute=1&Routes.files=true", "ROUTES_ERROR"}};
    for (const auto& [body, section] : rows) {
        TokenForm form{web::parse_form(body)};
        BOOST_TEST(!limits_of(form, choices), body);
        BOOST_TEST(form.errors.size() == 1U, body);
        BOOST_TEST(form.errors.contains(section), body);
    }
}

BOOST_AUTO_TEST_CASE(a_tools_settings_name_a_model_that_fits_and_harms_no_shell) {
    BOOST_TEST(model_for_tools(choices, {.name = {}}, "chat") == "a/b");
    BOOST_TEST(model_for_tools(choices, {.name = {}}, "messages") == "sonnet@claude");
    BOOST_TEST(model_for_tools(choices, {.name = {}}, "responses") == "");
    std::vector more = choices;
    more.insert(more.begin(), {*ProviderId::parse("3f8fad5b-d9cb-469f-a165-70867728950e"),
                               "Own",
                               "own",
                               find_provider_type("generic-compatible"),
                               {"m"},
                               {"m@own"}});
    BOOST_TEST(model_for_tools(more, {.name = {}}, "chat") == "m@own");
    BOOST_TEST(model_for_tools(more, {.name = {}}, "messages") == "sonnet@claude");
    BOOST_TEST(model_for_tools(more, {.name = {}}, "responses") == "m@own");
    BOOST_TEST(model_for_tools(choices, {.name = {}, .routes = {"messages"}}, "chat") == "");
    BOOST_TEST(model_for_tools(choices, {.name = {}, .providers = {openai}}, "messages") == "");
    const store::TokenLimits hostile{.name = {}, .models = {openai.text() + "/bad'; rm -rf ~"}};
    BOOST_TEST(model_for_tools(choices, hostile, "chat") == "");
}

BOOST_AUTO_TEST_CASE(usage_is_added_by_token_provider_and_model_over_thirty_days) {
    const std::string nil = "00000000-0000-0000-0000-000000000000";
    const Timestamp today{std::chrono::sys_days{std::chrono::November / 25 / 2026}};
    using Of = store::UsageSum::Of;
    const UsageBars bars = bars_of({{Of::token, used("2026-11-25", "a", "", 13)},
                                    {Of::token, used("2026-11-25", "a", "", 0)},
                                    {Of::token, used("2026-10-27", "", "", 12)},
                                    {Of::token, used("2026-10-26", "a", "", 100)},
                                    {Of::token, used("2026-11-24", nil, "", 1)},
                                    {Of::provider, used("2026-11-25", "", "p", 9)},
                                    {Of::provider, used("2026-11-25", "", "q", 4)},
                                    {Of::provider, used("2026-10-27", "", "", 6)},
                                    {Of::model, used("2026-11-25", "", "p", 9)},
                                    {Of::model, used("2026-11-25", "", "q", 4)},
                                    {Of::model, used("2026-10-27", "", "", 6)}},
                                   today);
    BOOST_TEST(bars.days.front() == "2026-10-27");
    BOOST_TEST(bars.days.back() == "2026-11-25");
    BOOST_REQUIRE(bars.tokens.size() == 3U); // the most tokens first
    BOOST_TEST(bars.tokens[0].label == "token a");
    BOOST_TEST(bars.tokens[0].tokens() == 15);
    BOOST_TEST(bars.tokens[0].days.back() == 15);
    BOOST_TEST(bars.tokens[0].calls == 4);
    BOOST_TEST(bars.tokens[1].sentence.english() == "Ended tokens");
    BOOST_TEST(bars.tokens[1].days.front() == 13);
    BOOST_TEST(bars.tokens[2].sentence.english() == "Playground and tests");
    BOOST_TEST(bars.providers.size() == 3U);
    BOOST_TEST(bars.models.size() == 3U);
}

BOOST_AUTO_TEST_CASE(a_file_of_usage_holds_texts_and_no_formula) {
    store::UsageRow row = used("2026-11-25", "a", "p", 9);
    BOOST_TEST(usage_csv({row}) ==
               "day,token,token_id,provider,provider_id,model,calls,failures,estimated_calls,"
               "input_tokens,output_tokens\r\n"
               "\"2026-11-25\",\"token a\",\"a\",\"provider p\",\"p\",\"m\",2,1,1,9,1\r\n");
    for (const char first : {'=', '+', '-', '@', '\t', '\r'}) {
        row.model = first + std::string{R"(1,"x")"};
        const std::string written = std::string{"\"'"} + first + R"(1,""x""")";
        BOOST_TEST(usage_csv({row}).find("," + written + ",") != std::string::npos, written);
    }
}

BOOST_AUTO_TEST_SUITE_END()
