// chat(), list_models() and search() over the wire, against a scripted upstream.
#include "adapters/calls.hpp"
#include "adapters/reading/json.hpp"
#include "adapters/relay.hpp"
#include "base/ascii.hpp"
#include "tests/unit/net/scripted_server.hpp"
#include "tests/unit/run_on.hpp"
#include <boost/json/serialize.hpp>
using namespace usershell::adapters;
namespace {
const std::string canary_key = "sk-canary-0123456789";
constexpr auto event_stream = "text/event-stream";
constexpr net::HttpLimits no_hurry{.connect = 1h, .silence = 1h, .total = 1h};
/// An upstream that gives one answer after the other and notes what it was asked.
struct Upstream {
    struct Reply {
        int status = 200;
        std::string type = "application/json";
        std::string body{};
        std::string headers{};
    };
    explicit Upstream(std::vector<Reply> replies)
        : replies_{std::move(replies)},
          server_{[this](Connection& peer) { serve(peer); }} {}
    std::vector<Received> asked() const {
        const std::lock_guard hold{lock_};
        return asked_;
    }
    ScriptedServer& server() { return server_; }
    void serve(Connection& peer) {
        for (auto request = peer.request(); !request.head.empty(); request = peer.request()) {
            std::unique_lock hold{lock_};
            asked_.push_back(request);
            const auto reply = replies_.at(std::min(asked_.size(), replies_.size()) - 1);
            hold.unlock();
            peer.answer(reply.status, reply.type, reply.body, reply.headers);
        }
    }
    std::vector<Reply> replies_;
    mutable std::mutex lock_;
    std::vector<Received> asked_;
    ScriptedServer server_;
};
struct TestCall {
    explicit TestCall(const ScriptedServer& server,
                      std::string_view type_name = "generic-compatible",
                      std::string_view path = "/v1")
        : type{*find_provider_type(type_name)},
          base{BaseUrl::parse(server.url(path))},
          http{loop, EgressPolicy{{server.authority()}}, {}},
          control{.http = http, .options = {.limits = no_hurry, .pool = "a user"}} {
        request.model = "m";
        request.messages = {{ChatMessage::Role::user, "Hi"}};
    }
    CallTarget target() const { return {type, base, canary_key}; }
    ChatReply chat(const ChatSinks& sinks = {}) {
        return run_on(loop, complete_chat(target(), request, control, sinks));
    }
    ModelListing models() { return run_on(loop, list_models(target(), control)); }
    /// What a tool is sent for "{}".
    std::string relayed(RelayRoute route = RelayRoute::chat, std::string_view key = canary_key) {
        struct Kept final : RelaySink {
            void begin(const RelayHead&) override {}
            explicit Kept(RelayLimits& thrown) : limits{thrown} {}
            void take_limits(RelayLimits told) override { limits = std::move(told); }
            void write(std::string_view event) override { text += event; }
            void write(std::string document, CallMemory::Part) override { text += document; }
            RelayLimits& limits;
            std::string text;
        } sink{limits_of_error};
        RelayRequest relayed{.route = route, .model = "m"};
        relayed.http.body = "{}";
        Usage usage;
        run_on(loop, relay({type, base, key}, relayed, control, sink, usage));
        return sink.text;
    }
    std::string found() { return run_on(loop, search(target(), "ping", control)); }
    std::string run() {
        tokens.clear();
        try {
            reply = chat({.text = [this](std::string_view token) { tokens.emplace_back(token); }});
            for (const auto& token : tokens) reply.content += token;
            return reply.content;
        } catch (const UpstreamError& error) {
            sentence = error.sentence().english();
            if (!error.said().words.empty()) sentence += " It said: " + error.said().words;
            return std::string{error.reason_name()};
        }
    }
    const ProviderType& type;
    BaseUrl base;
    Loop loop;
    net::HttpClient http;
    CallControl control;
    ChatRequest request;
    ChatReply reply;
    std::vector<std::string> tokens;
    std::string sentence;
    RelayLimits limits_of_error;
};
struct Exchange : Upstream, TestCall {
    explicit Exchange(std::vector<Reply> replies, std::string_view type_name = "generic-compatible",
                      std::string_view path = "/v1")
        : Upstream{std::move(replies)},
          TestCall{server(), type_name, path} {}
};
/// The name of the reason for which a call fails; "" when it does not.
std::string reason_of(const auto& call) {
    try {
        call();
    } catch (const UpstreamError& error) {
        BOOST_TEST(!has(error.sentence().english() + error.said().words, canary_key));
        return std::string{error.reason_name()};
    }
    return "";
}
std::string event(const std::string& data) { return "data: " + data + "\n\n"; }
const std::string good =
    R"({"model":"m-1","choices":[{"message":{"content":"pong"},"finish_reason":"stop"}]})";
const std::string good_stream =
    event(R"({"model":"m-1","choices":[{"delta":{"content":"po"}}]})") +
    event(R"({"model":"m-1","choices":[{"delta":{"content":"ng"},"finish_reason":"stop"}]})") +
    event("[DONE]");
Upstream::Reply refusal(const std::string& message, const std::string& code = "",
                        const std::string& parameter = "", int status = 400) {
    return {.status = status,
            .body = R"({"error":{"message":")" + message +
                    R"(","type":"invalid_request_error","param":")" + parameter + R"(","code":")" +
                    code + "\"}}"};
}
const Upstream::Reply no_max_tokens =
    refusal("Unsupported parameter: 'max_tokens' is not supported with "
            "this model. Use 'max_completion_tokens' instead.",
            "unsupported_parameter", "max_tokens");
const Upstream::Reply temperature =
    refusal("Unsupported value: 'temperature' does not support 0.5 with this model. Only the "
            "default (1) value is supported.",
            "unsupported_value", "temperature");
const Upstream::Reply only_stream = refusal("This model only support stream mode, please enable "
                                            "the stream parameter to access the model.",
                                            "invalid_parameter_error");
const Upstream::Reply no_stream =
    refusal("Unsupported value: 'stream' does not support true with this model.",
            "unsupported_value", "stream");

BOOST_AUTO_TEST_CASE(a_chat_is_answered_whole_or_token_by_token) {
    Exchange call{{{.body = good}, {.type = event_stream, .body = good_stream}}};
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST((call.tokens == std::vector<std::string>{"pong"}));
    BOOST_TEST(call.reply.model == "m-1");
    call.request.stream = true;
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST((call.tokens == std::vector<std::string>{"po", "ng"}));
    const auto asked = call.asked();
    BOOST_TEST(asked.at(0).line() == "POST /v1/chat/completions HTTP/1.1");
    BOOST_TEST(asked.at(1).header("Authorization") == "Bearer " + canary_key);
    BOOST_TEST(has(asked.at(1).body, "\"stream\":true"));
    // Kept over both, the stream's last word included.
    BOOST_TEST(call.server().connections() == 1);
}

BOOST_AUTO_TEST_CASE(the_form_of_the_answer_is_the_upstreams_choice) {
    Exchange call{{{.type = event_stream, .body = good_stream},
                   {.body = good},
                   {.type = "text/plain", .body = good_stream}}};
    BOOST_TEST(call.run() == "pong");
    call.request.stream = true;
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST(call.chat().content == "pong");
}

BOOST_AUTO_TEST_CASE(an_upstream_is_asked_again_as_it_wants) {
    Exchange both{{no_max_tokens, temperature, {.body = good}}};
    both.request.max_tokens = 9;
    both.request.temperature = 0.5;
    BOOST_TEST(both.run() == "pong");
    const auto asked = both.asked();
    for (const std::size_t i : {0U, 1U, 2U}) {
        const std::string name = i == 0 ? "\"max_tokens\":9" : "\"max_completion_tokens\":9";
        BOOST_TEST(has(asked.at(i).body, name));
        BOOST_TEST(has(asked.at(i).body, "temperature") == (i < 2));
    }
    const Upstream::Reply extra{
        .status = 422,
        .body =
            R"({"detail":[{"loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]})"};
    const auto few = refusal("max_tokens is too large: 1024", "invalid_value", "max_tokens");
    const struct {
        Upstream::Reply refusal;
        const char* type;
        bool check, stream;
        const char* second; ///< in the request that follows
    } rows[] = {
        {extra, "openai", false, false, "\"max_tokens\":9"},
        {only_stream, "groq", true, false, "\"stream\":true"},
        {no_stream, "groq", false, true, "\"stream\":false"},
        {few, "groq", true, false, "\"max_tokens\":16"},
    };
    for (const auto& row : rows) {
        Exchange call{{row.refusal, {.body = good}}, row.type};
        call.request.check = row.check;
        call.request.stream = row.stream;
        if (!row.check) call.request.max_tokens = 9;
        BOOST_TEST(call.run() == "pong");
        BOOST_TEST(has(call.asked().at(1).body, row.second), row.second);
    }
}

BOOST_AUTO_TEST_CASE(a_refused_option_is_known_by_its_name_in_any_words) {
    const struct {
        const char* message;
        const char* without; ///< in the first request and not in the second
    } rows[] = {
        {"invalid temperature: only 1 is allowed for this model", "temperature"},
        {"`temperature` may only be set to 1 when thinking is enabled.", "temperature"},
        {"temperature must be 1 for reasoning models", "temperature"},
        {"Extra inputs are not permitted: $.temperature", "temperature"},
        {"[1 validation error] body.Temperature: unexpected", "temperature"},
        {"不支持temperature参数", "temperature"},
        {"temperature 参数需为 1", "temperature"},
        {"禁止使用temperature", "temperature"},
        {"Unrecognized field: include_usage", "stream_options"},
        {"Unknown field includeUsage", "stream_options"},
        {"body must NOT have additional properties", "stream_options"},
        {"Unknown field maxTokens", "max_tokens"},
        {"This model doesn't take a temperature.", "temperature"},
        {R"(json: unknown field \"stream_options\")", "stream_options"},
        {"stream_options: Extra inputs are not permitted", "stream_options"},
        {"Unrecognized request argument supplied: stream_options", "stream_options"},
        {"Stream options can't be used here", "stream_options"},
        {"body.stream_options.include_usage is not supported", "stream_options"},
        {"Validation error at #/max_tokens: Extra inputs are not permitted", "max_tokens"},
        {"maxTokens is deprecated", "max_tokens"},
        {"Please use max_completion_tokens, as this model requires it", "max_tokens"},
        {"System role not supported", "\"system\""},
        {"'messages[0].role' does not support 'system' with this model.", "\"system\""},
        {"Developer instruction is not enabled for models/gemma-3", "\"system\""},
        {"Conversation roles must alternate user/assistant", "\"system\""},
        {R"(invalid params, unknown \"system\" message)", "\"system\""},
    };
    for (const auto& row : rows)
        for (const int status : {400, 422, 500, 200}) {
            Exchange call{{refusal(row.message, "", "", status),
                           {.type = event_stream, .body = good_stream}}};
            call.request.stream = true;
            call.request.temperature = 0.5;
            call.request.max_tokens = 9;
            call.request.system = "Be brief.";
            BOOST_TEST(call.run() == "pong", row.message << " " << status);
            const auto asked = call.asked();
            const std::string name = row.without;
            BOOST_TEST(has(asked.at(0).body, name), row.message);
            BOOST_TEST(!has(asked.at(1).body, name), row.message << " " << asked.at(1).body);
        }
}

BOOST_AUTO_TEST_CASE(a_validator_names_an_option_as_the_input_at_fault) {
    const std::string_view rows[] = {
        R"({"error":{"message":"No","details":[{"field":"#","issue":"unrecognized key"}]}})",
        R"({"title":"One or more errors","status":400,"errors":{"#":["Unknown field."]}})",
        R"({"errors":{"#":["is not known"]}})",
        R"({"errors":[{"instancePath":"","params":{"additionalProperty":"#"},"message":"must NOT have additional properties"}]})",
        R"({"error":"Bad Request","errors":[{"field":"#","defaultMessage":"is not allowed"}]})",
        R"({"error":{"issues":[{"code":"unrecognized_keys","keys":["#"],"path":[],"message":"Bad"}]}})",
        R"({"statusCode":400,"message":[{"property":"#","constraints":{"x":"property should not exist"}}]})",
        R"({"detail":[{"type":"extra_forbidden","loc":["body","#"],"msg":"Extra inputs are not permitted"}]})",
        R"({"errors":[{"source":{"pointer":"/#"},"title":"Unknown attribute"}]})",
        R"({"error":{"message":"Unsupported","param":"#"}})",
        R"({"error":{"message":"Unsupported","target":"body.#"}})",
        R"({"error":{"message":"upstream: {\"error\":{\"message\":\"Unsupported\",\"param\":\"#\"}}"}})",
    };
    for (const std::string_view row : rows)
        for (const std::string name : {"temperature", "stream_options", "max_tokens"}) {
            std::string body{row};
            body.replace(body.find('#'), 1, name);
            Exchange call{
                {{.status = 400, .body = body}, {.type = event_stream, .body = good_stream}}};
            call.request.stream = true;
            call.request.temperature = 0.5;
            call.request.max_tokens = 9;
            BOOST_TEST(call.run() == "pong", body);
            BOOST_TEST(!has(call.asked().at(1).body, "\"" + name + "\""), body);
        }
    Exchange repeated{{{.status = 400,
                        .body = R"({"detail":[{"loc":["body","messages"],"msg":"Field required",)"
                                R"("input":{"field":"temperature"}}]})"}}};
    repeated.request.temperature = 0.5;
    repeated.run();
    BOOST_TEST(repeated.asked().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_stream_is_refused_or_wanted_in_any_words) {
    for (const auto& [message, stream] : {std::pair{"stream must be false", true},
                                          {"不支持流式输出", true},
                                          {"Please disable streaming for this model", true},
                                          {"该模型仅支持流式调用", false},
                                          {"stream must be set to true", false},
                                          {"This model requires streaming", false}}) {
        Exchange call{{refusal(message), {.body = good}}, "groq"};
        call.request.stream = stream;
        BOOST_TEST(call.run() == "pong", message);
        BOOST_TEST(has(call.asked().at(1).body, stream ? "\"stream\":false" : "\"stream\":true"),
                   message);
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_about_an_option_is_not_asked_again) {
    for (const auto& [message, status] :
         {std::pair{"max_tokens is too large: 9", 400},
          {"max_tokens must be less than or equal to 5", 400},
          {"invalid max_tokens value, the valid range is 1 to 5", 400},
          {"temperature: Unauthorized, not a key", 401},
          {"The temperature of this server is not right", 503},
          {"The upstream temperatures are not known", 400},
          {"Unknown model of the system", 400},
          {"The temperature is 0.5", 400},
          {"Not this time", 400}}) {
        Exchange call{{refusal(message, "", "", status)}, "groq"};
        call.request.temperature = 0.5;
        call.request.max_tokens = 9;
        call.request.system = "Be brief.";
        BOOST_TEST(call.run() != "pong");
        BOOST_TEST(call.asked().size() == 1U, message);
    }
    Exchange nothing_sent{{refusal("temperature, max_tokens, stream_options and the system role "
                                   "are not supported")}};
    nothing_sent.run();
    BOOST_TEST(nothing_sent.asked().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_refused_system_role_goes_into_the_first_turn) {
    const auto second = [](const std::vector<ChatMessage>& messages) {
        Exchange call{{refusal("System role not supported"), {.body = good}}};
        call.request.system = "Be brief.";
        call.request.messages = messages;
        BOOST_TEST(call.run() == "pong");
        return json::serialize(parse_json(call.asked().at(1).body, {}).value->at("messages"));
    };
    using enum ChatMessage::Role;
    BOOST_TEST(second({{user, "Hi"}, {assistant, "Ho"}, {user, "Hm"}}) ==
               R"([{"role":"user","content":"Be brief.\n\nHi"},{"role":"assistant",)"
               R"("content":"Ho"},{"role":"user","content":"Hm"}])");
    BOOST_TEST(second({{user, "", {{"image/png", "AA=="}}}}) ==
               R"([{"role":"user","content":[{"type":"text","text":"Be brief."},)"
               R"({"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]}])");
}

BOOST_AUTO_TEST_CASE(an_upstream_that_keeps_asking_or_wants_another_value_is_not_asked_for_ever) {
    const std::pair<std::vector<Upstream::Reply>, std::size_t> rows[] = {
        {{no_max_tokens}, 2},
        {{only_stream, no_stream}, 2},
        {{refusal("max_tokens is too large: 9", "invalid_value", "max_tokens")}, 1},
    };
    for (const auto& [replies, requests] : rows) {
        Exchange call{replies};
        call.request.max_tokens = 9;
        BOOST_TEST(call.run() == "rejected");
        BOOST_TEST(call.asked().size() == requests);
    }
}

BOOST_AUTO_TEST_CASE(a_bare_host_is_asked_under_v1_when_it_has_nothing_else) {
    const auto asked = [](std::vector<Upstream::Reply> replies, std::string_view path = "") {
        Exchange call{std::move(replies), "generic-compatible", path};
        std::string all = call.run();
        for (const auto& request : call.asked()) all += ", " + request.line();
        return all;
    };
    BOOST_TEST(asked({{.status = 404, .body = R"({"detail":"Not Found"})"}, {.body = good}}) ==
               "pong, POST /chat/completions HTTP/1.1, POST /v1/chat/completions HTTP/1.1");
    BOOST_TEST(asked({refusal("The model `m` does not exist", "model_not_found", "", 404)}) ==
               "unknown_model, POST /chat/completions HTTP/1.1");
    const Upstream::Reply nothing{.status = 404, .type = "text/html", .body = "<html>"};
    BOOST_TEST(asked({nothing}) == "not_this_protocol, POST /chat/completions HTTP/1.1, "
                                   "POST /v1/chat/completions HTTP/1.1");
    BOOST_TEST(asked({nothing}, "/api") ==
               "not_this_protocol, POST /api/chat/completions HTTP/1.1");
}

BOOST_AUTO_TEST_CASE(a_root_without_an_api_says_so_in_many_ways) {
    const Upstream::Reply roots[] = {
        {.status = 404, .body = "{}"},
        {.status = 405, .body = "Method Not Allowed"},
        {.type = "text/html", .body = "<!doctype html><div id=root></div>"},
        {.body = R"({"status":"ok"})"},
        {.type = "text/plain", .body = "Ollama is running"},
        {.body = R"x({"error":"Unexpected endpoint or method. (GET /models)"})x"},
        {.status = 400, .body = R"({"message":"Unknown route"})"},
        {.status = 401, .body = R"({"error":"Unauthorized"})"},
        {.status = 401, .type = "text/html", .body = "<html>"},
        {.status = 403, .body = R"({"message":"Missing Authentication Token"})"},
        {.status = 302, .headers = "Location: /login\r\n"},
    };
    const Upstream::Reply list{.body = R"({"data":[{"id":"a"}]})"};
    const Upstream::Reply nothing{.status = 404, .body = "{}"};
    for (const auto& root : roots) {
        Exchange lists{{root, list}, "generic-compatible", ""};
        BOOST_TEST(lists.models().models.size() == 1u, root.body);
        BOOST_TEST(lists.asked().at(1).line() == "GET /v1/models HTTP/1.1");
        Exchange chats{{root, {.body = good}}, "generic-compatible", ""};
        BOOST_TEST(chats.run() == "pong", root.body);
        BOOST_TEST(chats.asked().at(1).line() == "POST /v1/chat/completions HTTP/1.1");
        if (!has(root.body, "status")) { // the relay gives on any JSON without an error
            Exchange tools{{root, {.body = good}}, "generic-compatible", ""};
            BOOST_TEST(tools.relayed() == good, root.body);
            BOOST_TEST(tools.asked().at(1).line() == "POST /v1/chat/completions HTTP/1.1");
            BOOST_TEST(tools.asked().at(1).body == "{}");
        }
        Exchange below{{root}, "generic-compatible", "/api"};
        reason_of([&] { below.models(); });
        BOOST_TEST(below.asked().size() == 1u, root.body);
        Exchange both{{root, nothing}, "generic-compatible", ""};
        const bool is_refused = root.status == 401 || root.status == 403;
        BOOST_TEST((reason_of([&] { both.models(); }) == "not_this_protocol") == !is_refused,
                   root.body);
    }
    for (const Upstream::Reply& root :
         {refusal("Incorrect API key", "invalid_api_key", "", 401),
          Upstream::Reply{.status = 401, .body = R"({"detail":"No bearer token"})"},
          Upstream::Reply{.status = 403, .type = "text/html", .body = "<html>"},
          Upstream::Reply{.status = 503, .body = R"({"message":"Unknown route"})"},
          Upstream::Reply{.status = 429, .body = "{}"}}) {
        Exchange lists{{root}, "generic-compatible", ""};
        BOOST_TEST(reason_of([&] { lists.models(); }) != "");
        BOOST_TEST(lists.asked().size() == 1u, root.body);
    }
}

BOOST_AUTO_TEST_CASE(errors_are_told_without_the_key) {
    Exchange call{
        {{.status = 401,
          .body = R"({"error":{"message":"Incorrect API key: )" + canary_key +
                  R"(. Retry","code":"invalid_api_key"}})"},
         {.status = 429, .body = "{}", .headers = "Retry-After: 7\r\n"},
         {.status = 302, .body = "", .headers = "Location: http://127.0.0.1:1/\r\n"},
         {.type = "text/html", .body = "<html>"},
         {.type = event_stream,
          .body = event(R"({"error":{"message":"bad )" + canary_key + R"(","code":401}})")}}};
    BOOST_TEST(call.run() == "key_refused");
    BOOST_TEST(call.sentence == "The provider refused the key. Check or replace it. It said: "
                                "Incorrect API key: \u2022\u2022\u2022\u2022 Retry");
    BOOST_TEST(call.run() == "rate_limited");
    BOOST_TEST(call.sentence ==
               "The provider limits how often this key may call. Try again in 7 seconds.");
    BOOST_TEST(call.run() == "not_this_protocol");
    BOOST_TEST(call.sentence == "The provider answered with a redirect (HTTP 302), and redirects "
                                "are not followed. Check the base URL.");
    BOOST_TEST(call.run() == "not_this_protocol");
    BOOST_TEST(call.run() == "key_refused");
    BOOST_TEST(!has(call.sentence, canary_key));
    BOOST_TEST(call.asked().size() == 5u);
}

BOOST_AUTO_TEST_CASE(an_error_after_tokens_is_thrown_after_them) {
    Exchange call{
        {{.type = event_stream,
          .body = event(R"({"choices":[{"delta":{"content":"po"}}]})") +
                  event(R"({"error":{"message":"'max_tokens' unsupported","code":400}})")}}};
    call.request.stream = true;
    BOOST_TEST(call.run() == "rejected");
    BOOST_TEST((call.tokens == std::vector<std::string>{"po"}));
    BOOST_TEST(call.asked().size() == 1u); // what has been said is not asked for again
}

BOOST_AUTO_TEST_CASE(a_fault_of_the_network_ends_the_call_and_an_endless_error_is_cut) {
    const auto outcome = [](const ScriptedServer::Script& script) {
        ScriptedServer server{script};
        return TestCall{server}.run();
    };
    const ScriptedServer::Script resets = [](Connection& peer) {
        peer.request();
        peer.reset();
    };
    const ScriptedServer::Script fails_for_ever = [](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 500 No\r\nContent-Length: 100000000\r\n\r\n");
        while (peer.send(std::string(65536, 'x'))) {
        }
    };
    BOOST_TEST(outcome(resets) == "unreachable");
    BOOST_TEST(outcome(fails_for_ever) == "overloaded");
}

// Though the connection ends as it should: a block that is not called the last one has no end.
BOOST_AUTO_TEST_CASE(an_answer_whose_coding_is_cut_is_cut_off_unless_it_has_said_its_last_word) {
    const auto deflated = [](const std::string& type, const std::string& body, bool is_last) {
        const auto size = static_cast<char>(body.size()),
                   high = static_cast<char>(body.size() >> 8U);
        std::string bytes{is_last ? '\1' : '\0', size, high, static_cast<char>(~size),
                          static_cast<char>(~high)};
        return Upstream::Reply{
            .type = type, .body = bytes + body, .headers = "Content-Encoding: deflate\r\n"};
    };
    for (const bool is_last : {true, false}) {
        Exchange whole{{deflated("application/json", good, is_last)}};
        Exchange stream{{deflated(event_stream, good_stream, is_last)}};
        const std::string cut = is_last ? "" : "cut_off";
        BOOST_TEST(reason_of([&] { whole.relayed(); }) == cut);
        BOOST_TEST(whole.run() == "pong"); // a chat has its finish reason
        BOOST_TEST(reason_of([&] { stream.relayed(); }) == "");
        BOOST_TEST(stream.run() == "pong");
    }
    const auto half = good_stream.substr(0, good_stream.find("ng"));
    Exchange call{{deflated(event_stream, half.substr(0, half.rfind("data")), false)}};
    BOOST_TEST(call.run() == "cut_off");
    Exchange list{{deflated("application/json", R"({"data":[{"id":"a"}]})", false)}};
    BOOST_TEST(reason_of([&] { list.models(); }) == "cut_off");
}

BOOST_AUTO_TEST_CASE(a_forbidden_address_and_a_malformed_key_are_not_connected_with) {
    ScriptedServer server{[](Connection&) {}};
    TestCall call{server};
    const auto reason = [&](const CallTarget& target, net::HttpClient& http) {
        return reason_of(
            [&] { run_on(call.loop, complete_chat(target, call.request, {.http = http}, {})); });
    };
    net::HttpClient closed{call.loop, EgressPolicy{}, {}};
    BOOST_TEST(reason(call.target(), closed) == "unreachable");
    BOOST_TEST(reason({call.type, call.base, "a\r\nb"}, call.http) == "rejected");
    BOOST_TEST(server.connections() == 0);
}

BOOST_AUTO_TEST_CASE(an_answer_that_takes_too_much_work_ends_the_call) {
    for (const Upstream::Reply& reply : {Upstream::Reply{.body = good},
                                         {.type = event_stream, .body = good_stream},
                                         refusal("No.")}) {
        Exchange call{{reply}};
        CallBudget budget{30, 1ns};
        call.control.options.budget = &budget;
        BOOST_TEST(call.run() == "too_large");
        BOOST_TEST(call.sentence ==
                   "Reading the provider’s answer took too much work, so the call was ended.");
    }
    Exchange list{{{.body = R"({"data":[{"id":"m"}]})"}}};
    CallBudget budget{30, 1ns};
    list.control.options.budget = &budget;
    BOOST_TEST(reason_of([&] { list.models(); }) == "too_large");
}

// Names can be chosen so that Boost.JSON compares each with all others of the object.
BOOST_AUTO_TEST_CASE(no_object_of_an_answer_has_very_many_members) {
    const auto outcome = [](std::size_t members) {
        std::string object;
        for (std::size_t i = 1; i < members; ++i) object += "\"" + std::to_string(i) + "\":0,";
        return Exchange{{{.body = "{" + object + good.substr(1)}}}.run();
    };
    BOOST_TEST(outcome(rules::max_json_members - 1) == "pong");
    BOOST_TEST(outcome(rules::max_json_members) == "too_large"); // `good` has two
}

BOOST_AUTO_TEST_CASE(a_call_makes_no_more_requests_than_it_may) {
    const Upstream::Reply complains = refusal("Unsupported: temperature", "", "temperature");
    for (const int requests : {1, 2}) {
        Exchange call{{complains, {.body = good}}};
        call.request.temperature = 0.5;
        CallBudget budget{requests, 1h};
        call.control.options.budget = &budget;
        BOOST_TEST(call.run() == (requests == 1 ? "rejected" : "pong"));
        BOOST_TEST(call.asked().size() == static_cast<std::size_t>(requests));
    }
    const auto page = [](const std::string& next) {
        return Upstream::Reply{.body = R"({"data":[],"next_page_token":")" + next + "\"}"};
    };
    Exchange list{{page("1"), page("2"), page("3"), page("4"), page("5")}};
    CallBudget budget{3, 1h};
    list.control.options.budget = &budget;
    BOOST_CHECK_THROW(list.models(), UpstreamError);
    BOOST_TEST(list.asked().size() == 3U);
    Exchange long_name{{page(std::string(4097, 'x'))}};
    BOOST_TEST(long_name.models().models.empty());
    BOOST_TEST(long_name.asked().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_caller_who_leaves_cancels_also_between_tokens) {
    CancellationToken cancellation;
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\n\r\n" + event(R"({"choices":[{"delta":{"content":"po"}}]})"));
        peer.wait_for_peer_to_close();
    }};
    TestCall call{server};
    call.request.stream = true;
    call.control.options.cancellation = &cancellation;
    const auto leave = [&](std::string_view) { cancellation.cancel(); };
    BOOST_TEST(reason_of([&] { call.chat({.text = leave}); }) == "cancelled");
    server.finish();
}

BOOST_AUTO_TEST_CASE(what_the_reader_of_tokens_throws_ends_the_call) {
    Exchange call{{{.type = event_stream, .body = good_stream}}};
    BOOST_CHECK_THROW(
        call.chat({.text = [](std::string_view) { throw std::domain_error{"gone"}; }}),
        std::domain_error);
}

BOOST_AUTO_TEST_CASE(a_list_comes_over_all_its_pages_in_order) {
    Exchange call{
        {{.body =
              R"({"data":[{"id":"c-3","display_name":"C"},{"id":"c-1"}],"has_more":true,"last_id":"c 1"})"},
         {.body = R"({"data":[{"id":"c-2"},{"id":"c-1"}],"has_more":false,"last_id":"c-2"})"}},
        "anthropic",
        ""};
    const auto models = call.models().models;
    std::string ids;
    for (const auto& model : models) ids += model.id + " ";
    BOOST_TEST(ids == "c-1 c-2 c-3 ");
    const auto asked = call.asked();
    BOOST_TEST(asked.at(0).line() == "GET /v1/models?limit=1000 HTTP/1.1");
    BOOST_TEST(asked.at(1).line() == "GET /v1/models?limit=1000&after_id=c%201 HTTP/1.1");
    BOOST_TEST(asked.at(1).header("x-api-key") == canary_key);
    BOOST_TEST(asked.at(1).header("Authorization") == "Bearer " + canary_key);
}

BOOST_AUTO_TEST_CASE(a_list_is_bounded) {
    const auto rows = [](int count, const std::string& before) {
        std::string text;
        for (int i = 0; i < count; ++i) text += (i ? "," : "") + before + std::to_string(i) + "\"}";
        return text;
    };
    const std::string many = R"({"models":[)" + rows(1500, R"({"name":"models/g-)");
    Exchange endless{{{.body = many + R"(],"nextPageToken":"a"})"},
                      {.body = many + R"(,{"name":"models/h"}],"nextPageToken":"b"})"}},
                     "google-gemini"};
    const auto whole = endless.models();
    BOOST_TEST((whole.models.size() == 1501u && whole.truncated));
    BOOST_TEST(endless.asked().size() == 2u);
    const auto cut =
        Exchange{{{.body = R"({"data":[)" + rows(2500, R"({"id":"m-)") + "]}"}}}.models();
    BOOST_TEST((cut.models.size() == 2000u && cut.truncated));
    Exchange circle{{{.body = R"({"models":[{"name":"models/g"}],"nextPageToken":"a"})"}},
                    "google-gemini"};
    BOOST_TEST(circle.models().models.size() == 1u);
    BOOST_TEST(circle.asked().size() == 2u);
    Exchange broken{{{.body = R"({"data":[{"id":"a"}],"next":"/v1/models?page=2"})"},
                     {.status = 500, .body = "{}"}}};
    const auto first = broken.models();
    BOOST_TEST((first.models.size() == 1u && first.truncated));
    BOOST_TEST(broken.asked().at(1).line() == "GET /v1/models?page=2 HTTP/1.1");
}

BOOST_AUTO_TEST_CASE(no_list_leads_to_another_host_or_path) {
    for (const std::string next : {"http://127.0.0.1:9/v1/models?a=b", "//evil.example/x?a=b",
                                   "https://u@h/?a=b", "/../../admin?a=b", "?a=b"}) {
        Exchange call{{{.body = R"({"data":[{"id":"a"}],"next":")" + next + "\"}"},
                       {.body = R"({"data":[{"id":"b"}]})"}}};
        BOOST_TEST(call.models().models.size() == 2u, next);
        BOOST_TEST(call.asked().at(1).line() == "GET /v1/models?a=b HTTP/1.1");
    }
    for (const std::string next :
         {"https://evil.example/models", "/v1/x?a b", "/v1/x?a\\r\\nb: c"}) {
        Exchange call{{{.body = R"({"data":[{"id":"a"}],"next":")" + next + "\"}"}}};
        BOOST_TEST(call.models().models.size() == 1u, next);
        BOOST_TEST(call.asked().size() == 1u, next);
    }
}

BOOST_AUTO_TEST_CASE(a_list_that_is_none_is_an_error) {
    const auto outcome = [](Upstream::Reply reply, std::string_view type = "generic-compatible") {
        Exchange call{{std::move(reply)}, type};
        return reason_of([&] { BOOST_TEST(call.models().models.empty()); });
    };
    BOOST_TEST(outcome({.body = R"({"data":[]})"}) == "");
    BOOST_TEST(outcome({.body = "{}"}) == "not_this_protocol");
    BOOST_TEST(outcome({.body = "nonsense"}) == "not_this_protocol");
    BOOST_TEST(outcome({.status = 401, .body = "{}"}) == "key_refused");
    BOOST_TEST(outcome({.status = 301}) == "not_this_protocol");
    BOOST_TEST(outcome({.body = R"({"error":{"message":"no","code":401}})"}) == "key_refused");
    BOOST_TEST(outcome({.body = std::string(9 << 20, ' ')}) == "too_large");
    BOOST_TEST(outcome({.body = R"({"data":[]})" + std::string(5 << 20, ' ')}) == "");
    BOOST_TEST(outcome({.body = R"({"data":[{"x":1},{"y":2}]})"}) == "not_this_protocol");
    BOOST_TEST(outcome({.body = "{}"}, "tavily") == "rejected");
}

BOOST_AUTO_TEST_CASE(a_search_answers_in_lines) {
    Exchange call{
        {{.body = R"({"results":[{"title":"A","url":"https://a.example/"}]})"},
         {.status = 401, .body = R"({"detail":{"error":"Unauthorized: )" + canary_key + "\"}}"},
         {.body = R"({"answer":1})"}},
        "tavily",
        ""};
    BOOST_TEST(call.found() == "1. A – https://a.example/");
    BOOST_TEST(call.asked().at(0).line() == "POST /search HTTP/1.1");
    BOOST_TEST(call.asked().at(0).header("Authorization") == "Bearer " + canary_key);
    const auto reason = [&](Reason wanted) {
        return [wanted](const UpstreamError& error) {
            return error.reason() == wanted &&
                   (error.sentence().english() + error.said().words).find(canary_key) ==
                       std::string::npos;
        };
    };
    BOOST_CHECK_EXCEPTION(call.found(), UpstreamError, reason(Reason::key_refused));
    BOOST_CHECK_EXCEPTION(call.found(), UpstreamError, reason(Reason::not_this_protocol));
    TestCall chat_type{call.server()};
    BOOST_CHECK_EXCEPTION(chat_type.found(), UpstreamError, reason(Reason::rejected));
    BOOST_CHECK_EXCEPTION(call.chat(), UpstreamError, reason(Reason::rejected));
}
} // namespace

// A server of two protocols is asked at the address and by the header of each.
BOOST_AUTO_TEST_CASE(a_route_is_called_below_the_base_url_by_its_own_header) {
    using enum RelayRoute;
    const std::string bearer = "authorization: bearer " + canary_key;
    const std::string both = "x-api-key: " + canary_key + "\r\n";
    const std::tuple<std::string_view, std::string_view, RelayRoute, std::string_view> table[] = {
        {"anthropic", "/anthropic", messages, "/anthropic/v1/messages"},
        {"anthropic", "/v1", count_tokens, "/v1/messages/count_tokens"},
        {"vllm", "/v1", messages, "/v1/messages"},
        {"vllm", "/v1", count_tokens, "/v1/messages/count_tokens"},
        {"llama-cpp", "/a/v1", count_tokens, "/a/v1/messages/count_tokens"},
        {"lm-studio", "/v1", messages, "/v1/messages"},
        {"ollama", "", messages, "/v1/messages"},
        {"ollama", "", responses, "/v1/responses"},
        {"openrouter", "/api/v1", messages, "/api/v1/messages"},
        {"deepseek", "", messages, "/anthropic/v1/messages"},
        {"deepseek", "/a", messages, "/a/anthropic/v1/messages"},
        {"generic-compatible", "/v1", messages, "/v1/messages"},
        {"generic-compatible", "/v1", compact, "/v1/responses/compact"},
        {"openai", "/v1", compact, "/v1/responses/compact"},
        {"openai", "/v1", images, "/v1/images/generations"},
        {"google-gemini", "/v1beta", images, "/v1beta/openai/images/generations"},
        {"ollama", "", images, "/v1/images/generations"},
        {"zhipu", "/api/paas/v4", images, "/api/paas/v4/images/generations"},
        {"azure-openai", "", images,
         "/openai/deployments/m/images/generations?api-version=2024-10-21"},
        {"vllm", "/v1", rerank, "/v1/rerank"},
        {"together", "/v1", rerank, "/v1/rerank"},
        {"azure-openai", "", compact, "/openai/v1/responses/compact"},
        {"azure-openai", "/openai/v1", compact, "/openai/v1/responses/compact"},
    };
    for (const auto& [type, base, route, path] : table) {
        const bool is_messages = route == messages || route == count_tokens;
        const std::string answer = route == count_tokens ? R"({"input_tokens":1})"
                                   : is_messages         ? R"({"content":[]})"
                                   : route == images     ? R"({"data":[{"url":"u"}]})"
                                   : route == rerank     ? R"({"results":[{"relevance_score":1}]})"
                                                         : R"({"output":[]})";
        Exchange exchange{{{.body = answer}}, type, base};
        BOOST_TEST(exchange.relayed(route) == answer);
        const std::string head = exchange.asked().front().head;
        const std::string lower = lower_ascii(head);
        BOOST_TEST(head.starts_with("POST " + std::string{path} + " HTTP/1.1\r\n"), head);
        BOOST_TEST(has(lower, both) == is_messages, type);
        BOOST_TEST(has(lower, bearer) == (type != "azure-openai"), type);
    }
    const Exchange::Reply counted{.body = R"({"content":[]})"};
    Exchange open{{counted}, "vllm"};
    open.relayed(messages, no_key);
    BOOST_TEST(!has(lower_ascii(open.asked().front().head), "x-api-key"));
    BOOST_TEST(!has(lower_ascii(open.asked().front().head), "authorization"));
    Exchange root{{{.status = 404, .body = "Not found"}, counted}, "llama-cpp", ""};
    root.relayed(messages);
    BOOST_TEST(root.asked().back().head.starts_with("POST /v1/messages HTTP"));
    Exchange none{{counted}, "groq"};
    BOOST_TEST(reason_of([&] { none.relayed(messages); }) == "wrong_api");
    BOOST_TEST(none.asked().empty());
}

BOOST_AUTO_TEST_CASE(limits_are_told_with_every_failure) {
    const std::string limit = "x-ratelimit-remaining-requests: 0\r\n";
    for (const Upstream::Reply& reply : {
             Upstream::Reply{.status = 429, .headers = limit},
             Upstream::Reply{.body = R"({"error":{"message":"No."}})", .headers = limit},
             Upstream::Reply{.body = "null", .headers = limit},
             Upstream::Reply{.type = "text/html", .body = "<html></html>", .headers = limit},
             Upstream::Reply{.type = event_stream, .body = ": ping\n\n", .headers = limit},
             Upstream::Reply{.body = good, .headers = limit},
         }) {
        Exchange exchange{{reply}};
        const bool is_good = reason_of([&] { exchange.relayed(); }).empty();
        BOOST_TEST(is_good == (reply.body == good), reply.body);
        BOOST_TEST(exchange.limits_of_error.size() == (is_good ? 0U : 1U), reply.body);
    }
}

// The bytes of its pages, and the rows that it becomes.
BOOST_AUTO_TEST_CASE(a_list_is_kept_in_the_memory_of_its_call) {
    std::string rows;
    for (int i = 0; i < 3000; ++i)
        rows += (i == 0 ? R"({"id":")" : R"(,{"id":")") + std::string(50, 'm') + std::to_string(i) +
                "\"}";
    for (const std::size_t room : {std::size_t{0}, std::size_t{16} << 20U}) {
        Exchange exchange{{{.body = "{\"data\":[" + rows + "]}"}}};
        MemoryShares shares{exchange.loop, room, room};
        CallMemory memory{shares, UserId::parse("00000000-0000-4000-8000-000000000001").value()};
        exchange.control.options.memory = &memory;
        const auto reason =
            reason_of([&] { BOOST_TEST(exchange.models().models.size() == 2000U); });
        BOOST_TEST(reason.empty() == (room != 0));
        BOOST_TEST(memory.is_lost() == (room == 0));
        BOOST_TEST(shares.taken() == 0U);
    }
}
