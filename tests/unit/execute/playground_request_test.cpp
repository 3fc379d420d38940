#include "base/rules.hpp"
#include "execute/playground/playground_request.hpp"
#include "tests/unit/execute/support.hpp"
#include "tests/unit/test.hpp"
#include "tests/unit/web/refusal_check.hpp"
#include <boost/json/serialize.hpp>
#include <boost/json/string.hpp>

using namespace usershell::execute;
namespace {
const std::string id = some_provider().text();

std::string body_of(const std::string& members) {
    return R"({"providerId":")" + id + (members.empty() ? "\"" : "\",") + members + "}";
}

std::string history(const std::string& entries) { return R"("history":[)" + entries + "]"; }
const std::string line = R"({"role":"user","content":"x"})";

PlaygroundRequest asked(const std::string& members) {
    return read_playground_request(web::JsonBody::parse(body_of(members)));
}

std::string json_text(const std::string& text) {
    return boost::json::serialize(boost::json::string{text});
}

std::string message_of(const std::string& text) { return R"("message":)" + json_text(text); }

std::string outcome_of_chat(const std::string& members, const store::CallProvider& provider) {
    return outcome_of([&] { chat_of(asked(members), provider); });
}

store::CallProvider search_provider() {
    store::CallProvider provider = bare_provider();
    provider.type = find_provider_type("tavily");
    provider.enabled_models.clear();
    return provider;
}
} // namespace
BOOST_AUTO_TEST_SUITE(playground_request)
BOOST_AUTO_TEST_CASE(types_of_fields) {
    const struct {
        std::string body, outcome;
    } table[] = {
        {"{}", "missing_field providerId"},
        {R"({"message":"hi"})", "missing_field providerId"},
        {R"({"providerId":""})", "missing_field providerId"},
        {R"({"providerId":null})", "missing_field providerId"},
        {R"({"providerId":1})", "invalid_field providerId"},
        {R"({"providerId":"1234"})", "not_found"},
        {R"({"providerId":"1234","message":1})", "invalid_field message"},
        {body_of(""), "served"},
        {body_of(R"("modelId":7)"), "invalid_field modelId"},
        {body_of(R"("message":["x"])"), "invalid_field message"},
        {body_of(R"("stream":"true")"), "invalid_field stream"},
        {body_of(R"("reasoning":1)"), "invalid_field reasoning"},
        {body_of(R"("system":{})"), "invalid_field system"},
        {body_of(R"("temperature":"hot")"), "invalid_field temperature"},
        {body_of(R"("maxTokens":1.5)"), "invalid_field maxTokens"},
        {body_of(R"("history":{})"), "invalid_field history"},
        {body_of(history(R"("x")")), "invalid_field history"},
        {body_of(history("{}")), "invalid_field history"},
        {body_of(history(R"({"role":"user"})")), "invalid_field history"},
        {body_of(history(R"({"role":"user","content":1})")), "invalid_field history"},
        {body_of(history(R"({"role":"system","content":"x"})")), "invalid_field history"},
        {body_of(history(R"({"role":"User","content":"x"})")), "invalid_field history"},
        {body_of(history("") + R"(,"else":{"x":[1]})"), "served"},
        {body_of(history(line + repeated("," + line, rules::max_history - 1))), "served"},
        {body_of(history(line + repeated("," + line, rules::max_history))),
         "invalid_field history"},
    };
    for (const auto& row : table)
        BOOST_TEST(outcome_of([&] { read_playground_request(web::JsonBody::parse(row.body)); }) ==
                       row.outcome,
                   row.body);
}

BOOST_AUTO_TEST_CASE(everything_asked_for_is_in_the_call) {
    const adapters::ChatRequest chat = chat_of(
        asked(
            R"("modelId":"second/x","message":" Hi\nthere ","system":"Be brief.","stream":true,"reasoning":true,)"
            R"("temperature":0.5,"maxTokens":100,"history":[{"role":"user","content":"a"},)"
            R"({"role":"assistant","content":"b"}])"),
        bare_provider());
    BOOST_TEST(chat.model == "second/x");
    BOOST_TEST(chat.system == "Be brief.");
    BOOST_TEST(chat.stream);
    BOOST_TEST(chat.reasoning);
    BOOST_TEST(!chat.check);
    BOOST_TEST(chat.temperature.value() == 0.5);
    BOOST_TEST(chat.max_tokens.value() == 100U);
    BOOST_REQUIRE(chat.messages.size() == 3U);
    BOOST_TEST((chat.messages[0].role == adapters::ChatMessage::Role::user));
    BOOST_TEST(chat.messages[0].content == "a");
    BOOST_TEST((chat.messages[1].role == adapters::ChatMessage::Role::assistant));
    BOOST_TEST(chat.messages[1].content == "b");
    BOOST_TEST((chat.messages[2].role == adapters::ChatMessage::Role::user));
    BOOST_TEST(chat.messages[2].content == " Hi\nthere ");
}

BOOST_AUTO_TEST_CASE(what_is_left_out_is_left_to_the_provider) {
    const adapters::ChatRequest chat =
        chat_of(asked(R"("message":"hi","modelId":"")"), bare_provider());
    BOOST_TEST(chat.model == "first");
    BOOST_TEST(!chat.stream);
    BOOST_TEST(!chat.reasoning);
    BOOST_TEST(!chat.temperature.has_value());
    BOOST_TEST(!chat.max_tokens.has_value());
    BOOST_TEST(chat.system.empty());
    BOOST_TEST(chat.messages.size() == 1U);
}

BOOST_AUTO_TEST_CASE(values) {
    const std::string hi = R"("message":"hi")";
    const std::pair<std::string, std::string> table[] = {
        {"", "missing_field message"},
        {message_of(""), "missing_field message"},
        {message_of(" \n\t\xe3\x80\x80"), "missing_field message"},
        {message_of("x"), "served"},
        {message_of("a\tb\r\nc"), "served"},
        {message_of(std::string(32768, 'x')), "served"},
        {message_of(std::string(32769, 'x')), "invalid_field message"},
        {message_of(repeated("\xc3\xa4", 32768 / 2)), "served"},
        {message_of("a\xc2\x85"
                    "b"),
         "invalid_field message"},
        {hi + R"(,"system":)" + json_text(std::string(32769, 'x')), "invalid_field system"},
        {hi + R"(,"history":[{"role":"user","content":)" + json_text(std::string(32769, 'x')) +
             "}]",
         "invalid_field history"},
        {hi + R"(,"temperature":0)", "served"},
        {hi + R"(,"temperature":2)", "served"},
        {hi + R"(,"temperature":2.01)", "invalid_field temperature"},
        {hi + R"(,"temperature":-0.01)", "invalid_field temperature"},
        {hi + R"(,"maxTokens":1)", "served"},
        {hi + R"(,"maxTokens":1000000)", "served"},
        {hi + R"(,"maxTokens":0)", "invalid_field maxTokens"},
        {hi + R"(,"maxTokens":-1)", "invalid_field maxTokens"},
        {hi + R"(,"maxTokens":1000001)", "invalid_field maxTokens"},
        {hi + R"(,"modelId":"first")", "served"},
        {hi + R"(,"modelId":"second/x")", "served"},
        {hi + R"(,"modelId":"third")", "invalid_field modelId"},
        {hi + R"(,"modelId":"First")", "invalid_field modelId"},
        {hi + R"(,"modelId":" first")", "invalid_field modelId"},
    };
    for (const auto& [members, outcome] : table)
        BOOST_TEST(outcome_of_chat(members, bare_provider()) == outcome, members.substr(0, 60));
}

BOOST_AUTO_TEST_CASE(state_comes_after_values) {
    store::CallProvider inactive = bare_provider();
    inactive.is_active = false;
    store::CallProvider no_model = bare_provider();
    no_model.enabled_models.clear();
    store::CallProvider neither = inactive;
    neither.enabled_models.clear();
    const std::tuple<std::string, const store::CallProvider&, std::string> table[] = {
        {R"("message":"hi")", inactive, "provider_inactive"},
        {R"("message":"")", inactive, "missing_field message"},
        {R"("message":"hi","modelId":"third")", inactive, "invalid_field modelId"},
        {R"("message":"hi")", no_model, "no_enabled_model"},
        {R"("message":"hi","modelId":"first")", no_model, "invalid_field modelId"},
        {R"("message":"hi","temperature":9)", no_model, "invalid_field temperature"},
        {R"("message":"hi")", neither, "provider_inactive"},
    };
    for (const auto& [members, provider, outcome] : table)
        BOOST_TEST(outcome_of_chat(members, provider) == outcome, members);
}

BOOST_AUTO_TEST_CASE(a_search_needs_no_model) {
    const adapters::ChatRequest chat =
        chat_of(asked(R"("message":"weather","modelId":"any")"), search_provider());
    BOOST_TEST(chat.model == "");
    BOOST_TEST(chat.messages.back().content == "weather");
    store::CallProvider inactive = search_provider();
    inactive.is_active = false;
    BOOST_TEST(outcome_of_chat(R"("message":"hi")", inactive) == "provider_inactive");
    BOOST_TEST(outcome_of_chat(R"("message":" ")", search_provider()) == "missing_field message");
}
BOOST_AUTO_TEST_SUITE_END()
