// chat(), list_models() and search() over the wire, against a scripted upstream.
#include "adapters/calls.hpp"
#include "tests/unit/net/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <future>
#include <vector>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;
using namespace std::chrono_literals;

namespace {

const std::string key = "sk-canary-0123456789";
constexpr net::HttpLimits no_hurry{.connect = 1h, .first_byte = 1h, .silence = 1h, .total = 1h};

/// An upstream that gives one answer after the other and notes what it was asked.
class Upstream {
public:
    struct Reply {
        int status = 200;
        std::string type = "application/json";
        std::string body{};
        std::string headers{};
    };

    explicit Upstream(std::vector<Reply> replies)
        : replies_{std::move(replies)},
          server_{[this](Connection& peer) { serve(peer); }} {}

    /// Everything asked so far; ends every connection's thread by ending the client's.
    std::vector<Received> asked() const {
        const std::lock_guard hold{lock_};
        return asked_;
    }
    ScriptedServer& server() { return server_; }

private:
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
          control{.http = http, .limits = no_hurry, .pool = "a user"} {
        request.model = "m";
        request.messages = {{ChatMessage::Role::user, "Hi"}};
    }

    CallTarget target() const { return {type, base, key}; }

    ChatReply chat(const ChatSinks& sinks = {}) {
        return loop.run(complete_chat(target(), request, control, sinks));
    }
    ModelListing models() { return loop.run(list_models(target(), control)); }
    std::string found() { return loop.run(search(target(), "ping", control)); }

    /// The reply's text, or the name of the error's reason.
    std::string run() {
        tokens.clear();
        try {
            reply = chat({.text = [this](std::string_view token) { tokens.emplace_back(token); }});
            for (const auto& token : tokens) reply.content += token;
            return reply.content;
        } catch (const UpstreamError& error) {
            sentence = error.sentence();
            reason = error.reason();
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
    Reason reason{};
};

const std::string good =
    R"({"model":"m-1","choices":[{"message":{"content":"pong"},"finish_reason":"stop"}]})";
const std::string good_stream =
    "data: {\"model\":\"m-1\",\"choices\":[{\"delta\":{\"content\":\"po\"}}]}\n\n"
    "data: "
    "{\"model\":\"m-1\",\"choices\":[{\"delta\":{\"content\":\"ng\"},\"finish_reason\":\"stop\"}]}"
    "\n\n"
    "data: [DONE]\n\n";

std::string refusal(const std::string& message, const std::string& code = "",
                    const std::string& parameter = "") {
    return R"({"error":{"message":")" + message + R"(","type":"invalid_request_error","param":")" +
           parameter + R"(","code":")" + code + "\"}}";
}

bool sent(const Received& request, std::string_view text) {
    return request.body.find(text) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(calls)

BOOST_AUTO_TEST_CASE(a_chat_is_answered_whole_or_token_by_token) {
    Upstream upstream{{{.body = good}, {.type = "text/event-stream", .body = good_stream}}};
    TestCall call{upstream.server()};
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST(call.tokens == std::vector<std::string>{"pong"}, boost::test_tools::per_element());
    BOOST_TEST(call.reply.model == "m-1");
    call.tokens.clear();
    call.request.stream = true;
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST((call.tokens == std::vector<std::string>{"po", "ng"}));
    const auto asked = upstream.asked();
    BOOST_TEST(asked.at(0).line() == "POST /v1/chat/completions HTTP/1.1");
    BOOST_TEST(asked.at(1).header("Authorization") == "Bearer " + key);
    BOOST_TEST(sent(asked.at(1), "\"stream\":true"));
    BOOST_TEST(upstream.server().connections() ==
               1); // kept over both, the stream's last word included
}

BOOST_AUTO_TEST_CASE(the_form_of_the_answer_is_the_upstreams_choice) {
    Upstream upstream{{{.type = "text/event-stream", .body = good_stream},
                       {.body = good},
                       {.type = "text/plain", .body = good_stream}}};
    TestCall call{upstream.server()};
    BOOST_TEST(call.run() == "pong");
    call.request.stream = true;
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST(call.run() == "pong");
    const auto without_tokens = call.chat();
    BOOST_TEST(without_tokens.content == "pong");
}

BOOST_AUTO_TEST_CASE(every_protocol_speaks_over_the_wire) {
    const std::vector<std::tuple<const char*, const char*, const char*, std::string, std::string>>
        rows{
            {"anthropic", "/v1", "POST /v1/messages HTTP/1.1",
             R"({"content":[{"type":"text","text":"pong"}],"model":"c","stop_reason":"end_turn"})",
             "event: message_start\ndata: "
             "{\"type\":\"message_start\",\"message\":{\"model\":\"c\"}}\n\n"
             "event: content_block_delta\ndata: "
             "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":"
             "\"pong\"}}"
             "\n\n"
             "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"},
            {"google-gemini", "/v1", "POST /v1/models/m:generateContent HTTP/1.1",
             R"({"candidates":[{"content":{"parts":[{"text":"pong"}]},"finishReason":"STOP"}]})",
             "data: "
             "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"pong\"}]},\"finishReason\":"
             "\"STOP\"}]}\r\n\r\n"},
            {"azure-openai", "/v1", "POST /v1/chat/completions HTTP/1.1", good, good_stream},
            {"ollama", "", "POST /v1/chat/completions HTTP/1.1", good, good_stream},
        };
    for (const auto& [type, path, line, whole, stream] : rows) {
        Upstream upstream{{{.body = whole}, {.type = "text/event-stream", .body = stream}}};
        TestCall call{upstream.server(), type, path};
        BOOST_TEST(call.run() == "pong");
        call.request.stream = true;
        BOOST_TEST(call.run() == "pong");
        BOOST_TEST(upstream.asked().at(0).line() == line);
    }
}

BOOST_AUTO_TEST_CASE(what_an_upstream_asks_for_is_done_once) {
    const std::string tokens = refusal("Unsupported parameter: 'max_tokens' is not supported with "
                                       "this model. Use 'max_completion_tokens' instead.",
                                       "unsupported_parameter", "max_tokens");
    const std::string temperature =
        refusal("Unsupported value: 'temperature' does not support 0.5 with this model. Only the "
                "default (1) value is supported.",
                "unsupported_value", "temperature");
    const std::string only_stream = refusal("This model only support stream mode, please enable "
                                            "the stream parameter to access the model.",
                                            "invalid_parameter_error");
    const std::string no_stream =
        refusal("Unsupported value: 'stream' does not support true with this model.",
                "unsupported_value", "stream");

    Upstream both{
        {{.status = 400, .body = tokens}, {.status = 400, .body = temperature}, {.body = good}}};
    TestCall reasoning{both.server()};
    reasoning.request.max_tokens = 9;
    reasoning.request.temperature = 0.5;
    BOOST_TEST(reasoning.run() == "pong");
    const auto asked = both.asked();
    BOOST_TEST((sent(asked.at(0), "\"max_tokens\":9") && sent(asked.at(0), "temperature")));
    BOOST_TEST(
        (sent(asked.at(1), "\"max_completion_tokens\":9") && sent(asked.at(1), "temperature")));
    BOOST_TEST(
        (sent(asked.at(2), "\"max_completion_tokens\":9") && !sent(asked.at(2), "temperature")));

    Upstream older{
        {{.status = 422,
          .body =
              R"({"detail":[{"type":"extra_forbidden","loc":["body","max_completion_tokens"],"msg":"Extra inputs are not permitted"}]})"},
         {.body = good}}};
    TestCall old{older.server(), "openai"};
    old.request.max_tokens = 9;
    BOOST_TEST(old.run() == "pong");
    BOOST_TEST(sent(older.asked().at(1), "\"max_tokens\":9"));

    Upstream streaming{
        {{.status = 400, .body = only_stream}, {.type = "text/event-stream", .body = good_stream}}};
    TestCall check{streaming.server()};
    check.request.check = true;
    BOOST_TEST(check.run() == "pong");
    BOOST_TEST(sent(streaming.asked().at(1), "\"stream\":true"));

    Upstream whole{{{.status = 400, .body = no_stream}, {.body = good}}};
    TestCall stream{whole.server()};
    stream.request.stream = true;
    BOOST_TEST(stream.run() == "pong");
    BOOST_TEST(sent(whole.asked().at(1), "\"stream\":false"));

    // An upstream that keeps asking is not asked for ever.
    Upstream stubborn{{{.status = 400, .body = tokens}}};
    TestCall limited{stubborn.server()};
    limited.request.max_tokens = 9;
    BOOST_TEST(limited.run() == "rejected");
    BOOST_TEST(stubborn.asked().size() == 2u);
    Upstream circle{{{.status = 400, .body = only_stream}, {.status = 400, .body = no_stream}}};
    TestCall turning{circle.server()};
    BOOST_TEST(turning.run() == "rejected");
    BOOST_TEST(circle.asked().size() == 2u);

    // A value that is wrong is no parameter that is.
    Upstream wrong{
        {{.status = 400,
          .body = refusal("max_tokens is too large: 9", "invalid_value", "max_tokens")}}};
    TestCall large{wrong.server()};
    large.request.max_tokens = 9;
    BOOST_TEST(large.run() == "rejected");
    BOOST_TEST(wrong.asked().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_bare_host_is_asked_under_v1_when_it_has_nothing_else) {
    Upstream upstream{{{.status = 404, .body = R"({"detail":"Not Found"})"}, {.body = good}}};
    TestCall call{upstream.server(), "generic-compatible", ""};
    BOOST_TEST(call.run() == "pong");
    BOOST_TEST(upstream.asked().at(0).line() == "POST /chat/completions HTTP/1.1");
    BOOST_TEST(upstream.asked().at(1).line() == "POST /v1/chat/completions HTTP/1.1");

    Upstream unknown{
        {{.status = 404, .body = refusal("The model `m` does not exist", "model_not_found")}}};
    TestCall model{unknown.server(), "generic-compatible", ""};
    BOOST_TEST(model.run() == "unknown_model");
    BOOST_TEST(unknown.asked().size() == 1u);

    Upstream nothing{{{.status = 404, .type = "text/html", .body = "<html>"}}};
    TestCall none{nothing.server(), "generic-compatible", ""};
    BOOST_TEST(none.run() == "not_this_protocol");
    BOOST_TEST(nothing.asked().size() == 2u);
    TestCall with_path{nothing.server(), "generic-compatible", "/api"};
    BOOST_TEST(with_path.run() == "not_this_protocol");
    BOOST_TEST(nothing.asked().size() == 3u);

    Upstream list{{{.status = 404, .body = "{}"}, {.body = R"({"data":[{"id":"a"}]})"}}};
    TestCall models{list.server(), "generic-compatible", ""};
    BOOST_TEST(models.models().models.size() == 1u);
    BOOST_TEST(list.asked().at(1).line() == "GET /v1/models HTTP/1.1");
}

BOOST_AUTO_TEST_CASE(errors_are_told_without_the_key) {
    Upstream upstream{
        {{.status = 401,
          .body = R"({"error":{"message":"Incorrect API key: )" + key +
                  R"(. Bye","code":"invalid_api_key"}})"},
         {.status = 429, .body = "{}", .headers = "Retry-After: 7\r\n"},
         {.status = 302, .body = "", .headers = "Location: http://127.0.0.1:1/\r\n"},
         {.type = "text/html", .body = "<html>"},
         {.type = "text/event-stream",
          .body = R"(data: {"error":{"message":"bad )" + key + R"(","code":401}})" + "\n\n"}}};
    TestCall call{upstream.server()};
    BOOST_TEST(call.run() == "key_refused");
    BOOST_TEST(
        call.sentence ==
        "The provider refused the key. Check or replace it. It said: Incorrect API key: ••••. Bye");
    BOOST_TEST(call.run() == "rate_limited");
    BOOST_TEST(call.sentence ==
               "The provider limits how often this key may call. Try again in 7 seconds.");
    BOOST_TEST(call.run() == "not_this_protocol");
    BOOST_TEST(call.sentence == "The provider answered with a redirect (HTTP 302), and redirects "
                                "are not followed. Check the base URL.");
    BOOST_TEST(call.run() == "not_this_protocol");
    BOOST_TEST(call.run() == "key_refused");
    BOOST_TEST(call.sentence.find(key) == std::string::npos);
    BOOST_TEST(upstream.asked().size() == 5u);
}

BOOST_AUTO_TEST_CASE(an_error_after_tokens_is_thrown_after_them) {
    Upstream upstream{
        {{.type = "text/event-stream",
          .body =
              "data: {\"choices\":[{\"delta\":{\"content\":\"po\"}}]}\n\n"
              "data: {\"error\":{\"message\":\"'max_tokens' unsupported\",\"code\":400}}\n\n"}}};
    TestCall call{upstream.server()};
    call.request.stream = true;
    BOOST_TEST(call.run() == "rejected");
    BOOST_TEST((call.tokens == std::vector<std::string>{"po"}));
    BOOST_TEST(upstream.asked().size() == 1u); // what has been said is not asked for again
}

BOOST_AUTO_TEST_CASE(faults_of_the_network_have_their_kinds) {
    const auto outcome = [](const ScriptedServer::Script& script,
                            const net::HttpLimits& limits = no_hurry) {
        ScriptedServer server{script};
        TestCall call{server};
        call.control.limits = limits;
        call.request.stream = true;
        return call.run();
    };
    BOOST_TEST(outcome([](Connection& peer) {
                   peer.request();
                   peer.reset();
               }) == "unreachable");
    BOOST_TEST(outcome([](Connection& peer) {
                   peer.request();
                   peer.send("garbage");
               }) == "not_this_protocol");
    BOOST_TEST(outcome(
                   [](Connection& peer) {
                       peer.request();
                       peer.wait_for_peer_to_close();
                   },
                   {1h, 10ms, 1h, 1h}) == "timed_out");
    const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    BOOST_TEST(outcome([&](Connection& peer) {
                   peer.request();
                   peer.send(head + "1b\r\ndata: {\"choices\":[{\"delta\":\r\n");
               }) == "cut_off");
    BOOST_TEST(outcome([&](Connection& peer) {
                   peer.request();
                   peer.send(head);
                   const std::string block = "1000\r\n" + std::string(4096, 'x') + "\r\n";
                   while (peer.send(block)) {
                   }
               }) == "too_large");
    BOOST_TEST(outcome([](Connection& peer) {
                   peer.request();
                   peer.send("HTTP/1.1 500 No\r\nContent-Length: 100000000\r\n\r\n");
                   const std::string block(65536, 'x');
                   while (peer.send(block)) {
                   }
               }) == "overloaded");

    ScriptedServer server{[](Connection&) {}};
    TestCall call{server};
    net::HttpClient closed{call.loop, EgressPolicy{}, {}};
    BOOST_CHECK_EXCEPTION(
        call.loop.run(complete_chat(call.target(), call.request, {.http = closed}, {})),
        UpstreamError,
        [](const UpstreamError& error) { return error.reason() == Reason::forbidden_address; });
    BOOST_TEST(server.connections() == 0);
    const CallTarget bad_key{call.type, call.base, "a\r\nb"};
    BOOST_CHECK_EXCEPTION(call.loop.run(complete_chat(bad_key, call.request, call.control, {})),
                          UpstreamError, [](const UpstreamError& error) {
                              return error.reason() == Reason::rejected &&
                                     error.sentence().find("a\r") == std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(a_caller_who_leaves_cancels_also_between_tokens) {
    Departure departure;
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        const std::string event = "data: {\"choices\":[{\"delta\":{\"content\":\"po\"}}]}\n\n";
        peer.send("HTTP/1.1 200 OK\r\n\r\n" + event);
        peer.wait_for_peer_to_close();
    }};
    TestCall call{server};
    call.request.stream = true;
    call.control.caller = &departure;
    const auto leave = [&](std::string_view) { departure.happen(); };
    BOOST_CHECK_EXCEPTION(
        call.chat({.text = leave}), UpstreamError,
        [](const UpstreamError& error) { return error.reason() == Reason::cancelled; });
    server.finish();
}

BOOST_AUTO_TEST_CASE(what_the_reader_of_tokens_throws_ends_the_call) {
    Upstream upstream{{{.type = "text/event-stream", .body = good_stream}}};
    TestCall call{upstream.server()};
    BOOST_CHECK_THROW(
        call.chat({.text = [](std::string_view) { throw std::domain_error{"gone"}; }}),
        std::domain_error);
}

BOOST_AUTO_TEST_CASE(a_list_comes_over_all_its_pages_in_order) {
    Upstream upstream{
        {{.body =
              R"({"data":[{"id":"c-3","display_name":"C"},{"id":"c-1"}],"has_more":true,"last_id":"c 1"})"},
         {.body = R"({"data":[{"id":"c-2"},{"id":"c-1"}],"has_more":false,"last_id":"c-2"})"}}};
    TestCall call{upstream.server(), "anthropic", ""};
    const auto models = call.models().models;
    std::string ids;
    for (const auto& model : models) ids += model.id + " ";
    BOOST_TEST(ids == "c-1 c-2 c-3 ");
    const auto asked = upstream.asked();
    BOOST_TEST(asked.at(0).line() == "GET /v1/models?limit=1000 HTTP/1.1");
    BOOST_TEST(asked.at(1).line() == "GET /v1/models?limit=1000&after_id=c%201 HTTP/1.1");
    BOOST_TEST(asked.at(1).header("x-api-key") == key);
}

BOOST_AUTO_TEST_CASE(a_list_is_bounded) {
    std::string many = R"({"models":[)";
    for (int i = 0; i < 1500; ++i)
        many += (i ? "," : "") + std::string{R"({"name":"models/g-)"} + std::to_string(i) + "\"}";
    Upstream endless{{{.body = many + R"(],"nextPageToken":"a"})"},
                      {.body = many + R"(,{"name":"models/h"}],"nextPageToken":"b"})"}}};
    TestCall call{endless.server(), "google-gemini"};
    const auto whole = call.models();
    BOOST_TEST(whole.models.size() == 1501u);
    BOOST_TEST(!whole.truncated);
    BOOST_TEST(endless.asked().size() == 2u);

    std::string more = R"({"data":[)";
    for (int i = 0; i < 2500; ++i)
        more += (i ? "," : "") + std::string{R"({"id":"m-)"} + std::to_string(i) + "\"}";
    Upstream large{{{.body = more + "]}"}}};
    TestCall cut{large.server()};
    const auto listed = cut.models();
    BOOST_TEST(listed.models.size() == 2000u);
    BOOST_TEST(listed.truncated);

    Upstream circle{{{.body = R"({"models":[{"name":"models/g"}],"nextPageToken":"a"})"}}};
    TestCall turning{circle.server(), "google-gemini"};
    BOOST_TEST(turning.models().models.size() == 1u);
    BOOST_TEST(circle.asked().size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_list_that_is_none_is_an_error) {
    const auto outcome = [](Upstream::Reply reply, std::string_view type = "generic-compatible") {
        Upstream upstream{{std::move(reply)}};
        TestCall call{upstream.server(), type};
        try {
            return std::to_string(call.models().models.size());
        } catch (const UpstreamError& error) {
            return std::string{error.reason_name()};
        }
    };
    BOOST_TEST(outcome({.body = R"({"data":[]})"}) == "0");
    BOOST_TEST(outcome({.body = "{}"}) == "not_this_protocol");
    BOOST_TEST(outcome({.body = "nonsense"}) == "not_this_protocol");
    BOOST_TEST(outcome({.type = "text/html", .body = "<html>"}) == "not_this_protocol");
    BOOST_TEST(outcome({.status = 401, .body = "{}"}) == "key_refused");
    BOOST_TEST(outcome({.body = R"({"error":{"message":"no","code":401}})"}) == "key_refused");
    BOOST_TEST(outcome({.status = 301}) == "not_this_protocol");
    BOOST_TEST(outcome({.body = std::string(9 << 20, ' ')}) == "too_large");
    BOOST_TEST(outcome({.body = R"({"data":[]})" + std::string(5 << 20, ' ')}) == "0");
    BOOST_TEST(outcome({.body = "{}"}, "tavily") == "rejected");
}

BOOST_AUTO_TEST_CASE(a_search_answers_in_lines) {
    Upstream upstream{
        {{.body = R"({"results":[{"title":"A","url":"https://a.example/"}]})"},
         {.status = 401, .body = R"({"detail":{"error":"Unauthorized: )" + key + "\"}}"},
         {.body = R"({"answer":1})"}}};
    TestCall call{upstream.server(), "tavily", ""};
    BOOST_TEST(call.found() == "1. A – https://a.example/");
    BOOST_TEST(upstream.asked().at(0).line() == "POST /search HTTP/1.1");
    BOOST_TEST(upstream.asked().at(0).header("Authorization") == "Bearer " + key);
    const auto reason = [&](Reason wanted) {
        return [wanted](const UpstreamError& error) {
            return error.reason() == wanted && error.sentence().find(key) == std::string::npos;
        };
    };
    BOOST_CHECK_EXCEPTION(call.found(), UpstreamError, reason(Reason::key_refused));
    BOOST_CHECK_EXCEPTION(call.found(), UpstreamError, reason(Reason::not_this_protocol));
    TestCall chat_type{upstream.server()};
    BOOST_CHECK_EXCEPTION(chat_type.found(), UpstreamError, reason(Reason::rejected));
    BOOST_CHECK_EXCEPTION(call.chat(), UpstreamError, reason(Reason::rejected));
}

BOOST_AUTO_TEST_SUITE_END()
