// The parts that are read beside a relay; everything else goes on as it came.
#include "adapters/reading/relay_reader.hpp"
#include "domain/rules.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::adapters;
namespace {
constexpr std::string_view relay_key = "sk-0123456789abcdef\"/x";
/// A sink that keeps what it is given.
struct Sink final : RelaySink {
    void begin(const RelayHead& given) override { head = given; }
    void take_limits(RelayLimits) override {}
    void write(std::string_view event) override { written += event; }
    void write(std::string document, CallMemory::Part) override { written += document; }
    RelayHead head;
    std::string written;
};
struct Relayed {
    std::string outcome; ///< "ok", "error" of the provider's, or the reason of ours
    std::string written;
    Usage usage;
    RelayHead head;
};
/// An answer in pieces of that size.
Relayed hear(std::string_view type, std::string_view body, std::size_t piece = 7, int status = 200,
             net::HttpFailure failure = net::HttpFailure::none,
             RelayRoute route = RelayRoute::chat) {
    Sink sink;
    Relayed heard;
    RelayReader reader{route, relay_key, sink, heard.usage};
    net::HttpResult result;
    result.failure = failure;
    result.head.status = status;
    result.head.content_type = type;
    result.head.fields = {{"x-ratelimit-reset-tokens", "6m0.5s"},
                          {"x-ratelimit-limit-tokens", "sk-live-0123456789abcdef"},
                          {"x-ratelimit-key", "1"},
                          {"set-cookie", "a=b"}};
    reader.take_head(result.head);
    for (std::size_t at = 0; at < body.size() && reader.take_body(body.substr(at, piece));
         at += piece)
        ;
    try {
        heard.outcome = "error";
        if (!reader.finish(result)) {
            reader.conclude(result);
            heard.outcome = "ok";
        }
    } catch (const UpstreamError& error) {
        heard.outcome = error.reason_name();
    }
    heard.written = sink.written;
    heard.head = sink.head;
    return heard;
}
RelayRoute route_of(std::string_view body) {
    if (has(body, "message_")) return RelayRoute::messages;
    if (has(body, "response.")) return RelayRoute::responses;
    if (has(body, "image_generation.") || has(body, "b64_json")) return RelayRoute::images;
    if (has(body, "speech.audio.")) return RelayRoute::speech;
    if (has(body, "relevance_score")) return RelayRoute::rerank;
    return has(body, "embedding") ? RelayRoute::embeddings : RelayRoute::chat;
}
constexpr auto sse = "text/event-stream";
constexpr auto json_type = "application/json";
} // namespace
// NOLINTBEGIN(modernize-raw-string-literal): JSON among line ends
BOOST_AUTO_TEST_CASE(good_answers_go_on_byte_for_byte_with_their_usage) {
    struct Good {
        std::string_view type, body;
        std::optional<std::uint64_t> input, output;
    };
    const Good table[] = {
        {sse,
         "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],"
         "\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\ndata: [DONE]\n\n",
         3, 4},
        {sse,
         "event: message_start\r\ndata: "
         "{\"type\":\"message_start\",\"message\":{\"usage\":"
         "{\"input_tokens\":5,\"cache_read_input_tokens\":2,\"output_tokens\":1}}}\r\n\r\nevent: "
         "message_delta\r\ndata: "
         "{\"type\":\"message_delta\",\"usage\":{\"output_tokens\":9}}\r\n\r\n"
         "data: {\"type\":\"message_stop\"}\r\n\r\n",
         7, 9},
        {sse,
         "data: "
         "{\"type\":\"response.completed\",\"response\":{\"error\":null,\"usage\":{\"input_"
         "tokens\":1,"
         "\"output_tokens\":2}}}\n\n",
         1, 2},
        {json_type,
         "{ "
         "\"choices\":[{\"message\":{},\"finish_reason\":\"stop\"}],\"error\":null,\"usage\":{"
         "\"prompt_tokens\":1,"
         "\"completion_tokens\":1}}",
         1, 1},
        {json_type,
         "{\"data\":[{\"embedding\":[1.0e0]}],\"usage\":{\"prompt_tokens\":8,\"total_tokens\":8}}",
         8, 0},
        {sse,
         "data: {\"type\":\"image_generation.partial_image\",\"b64_json\":\"AA\"}\n\ndata: "
         "{\"type\":\"image_generation.completed\",\"b64_json\":\"AA\",\"usage\":{\"input_tokens\":"
         "3,"
         "\"output_tokens\":4}}\n\n",
         3, 4},
        {sse,
         "data: {\"type\":\"speech.audio.delta\",\"audio\":\"AA\"}\n\ndata: "
         "{\"type\":\"speech.audio.done\",\"usage\":{\"input_tokens\":3,\"output_tokens\":4}}\n\n",
         3, 4},
        {json_type,
         "{\"created\":1,\"data\":[{\"b64_json\":\"AA\"}],\"usage\":{\"input_tokens\":3,\"output_"
         "tokens\":4}}",
         3, 4},
        {json_type,
         "{\"results\":[{\"index\":0,\"relevance_score\":0.5}],\"usage\":{\"total_tokens\":8}}", 8,
         0},
        {json_type,
         "{\"results\":[{\"index\":0,\"relevance_score\":-1}],\"meta\":{\"tokens\":{\"input_"
         "tokens\":"
         "8,\"output_tokens\":0}}}",
         8, 0},
    };
    for (const Good& good : table)
        for (const std::size_t piece :
             {std::size_t{1}, std::size_t{2}, std::size_t{5}, good.body.size()}) {
            const Relayed heard =
                hear(good.type, good.body, piece, 200, net::HttpFailure::none, route_of(good.body));
            BOOST_TEST(heard.outcome == "ok");
            BOOST_TEST(heard.written == good.body);
            BOOST_TEST((heard.usage.input == good.input && heard.usage.output == good.output));
            BOOST_TEST(heard.head.limits.size() == 1U); // the one that is a measure
        }
    BOOST_TEST(
        hear(sse, "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]").outcome ==
        "ok");
}
// Not one byte of them goes on: the event before does.
BOOST_AUTO_TEST_CASE(failures_in_whatever_form_are_not_relayed) {
    const std::string first = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    const std::pair<std::string, std::string_view> streams[] = {
        {"data: {\"error\":{\"message\":\"sk-key\"}}\n\n", "error"},
        {"event: error\ndata: sk-key\n\n", "error"},
        {"data: {\"type\":\"error\",\"message\":\"sk-key\"}\n\n", "error"},
        {"data: {\"\\u0065rror\":\"sk-key\"}\n\n", "error"},
        {"", "cut_off"},
    };
    for (const auto& [event, outcome] : streams) {
        const Relayed heard = hear(sse, first + event);
        BOOST_TEST(heard.outcome == outcome, event);
        BOOST_TEST(heard.written == first);
    }
    const std::tuple<std::string_view, std::string, int, std::string_view> documents[] = {
        {json_type, R"({"error":{"message":"sk-key"}})", 200, "error"},
        {json_type, R"({"object":"error"})", 200, "error"},
        {json_type, R"({"message":"sk-key"})", 401, "error"},
        {json_type, "{\"data\":\"" + std::string(rules::max_relay_body, 'x') + "\"}", 200,
         "too_large"},
        {"text/html", "<p>", 200, "not_this_protocol"},
        {"text/javascript", "{}", 200, "not_this_protocol"},
        {json_type, "", 200, "cut_off"},
        {json_type, "", 204, "cut_off"},
        {json_type, "null", 202, "not_this_protocol"},
        {json_type, R"({"choices":[{"mess)", 200, "cut_off"},
        {json_type, "", 302, "not_this_protocol"},
    };
    for (const auto& [type, body, status, outcome] : documents) {
        const Relayed heard = hear(type, body, body.size() / 4 + 1, status);
        BOOST_TEST(heard.outcome == outcome, body);
        BOOST_TEST(heard.written == "");
    }
    BOOST_TEST(hear(json_type, "{\"a\":1", 9, 200, net::HttpFailure::cut_off).outcome == "cut_off");
    BOOST_TEST(hear(sse, first, 9, 200, net::HttpFailure::timed_out).outcome == "timed_out");
}
// Blank lines go on with the event behind them, but not those before an answer.
BOOST_AUTO_TEST_CASE(blank_lines_go_on_with_their_event) {
    const std::string first = "data: {\"choices\":[]}\r\n\r\n";
    const std::string last = "\ndata: [DONE]\n\n";
    const std::string document = "\n\r\n\n" + first + "\r\n\n: c\r\r" + last + "\n";
    const std::string kept = first + ":\n" + last;
    for (const std::size_t piece : {1U, 2U, 3U, 100U})
        BOOST_TEST(hear(sse, document, piece).written == kept);
    BOOST_TEST(hear(sse, "\n\n\n", 1).written == "");
    BOOST_TEST(hear(sse, "\n\ndata: {\"error\":\"sk-key\"}\n\n", 1).written == "");
}
// Events that are not the loop's work are read with the others, in their order, by whom ever.
BOOST_AUTO_TEST_CASE(a_large_event_is_work_for_other_threads) {
    const std::string large =
        "data: {\"choices\":[],\"x\":\"" + std::string(std::size_t{300} * 1024, 'a') + "\"}\n\n";
    const std::string told =
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3,\"completion_tokens\":4}}\n\n";
    const std::string body = "data: {\"choices\":[]}\n\n" + large + large + told;
    const std::string whole = body + "data: [DONE]\n\n";
    for (const std::size_t piece : {std::size_t{16'000}, whole.size()}) {
        const Relayed alone = hear(sse, whole, piece);
        BOOST_TEST((alone.outcome == "ok" && alone.written == whole && alone.usage.output == 4U));
    }
    Loop loop;
    BlockingPool threads{loop, 1, "answer"};
    PoolLane readers{threads, "a user"};
    Sink sink;
    Usage usage;
    RelayReader reader{RelayRoute::chat, relay_key, sink, usage};
    net::HttpResult result;
    result.head.status = 200;
    result.head.content_type = sse;
    reader.take_head(result.head);
    BOOST_TEST((reader.take_body(body) && reader.has_work()));
    BOOST_TEST(sink.written == "data: {\"choices\":[]}\n\n");
    BOOST_TEST(test::run_on(loop, reader.work(readers, nullptr)));
    BOOST_TEST((!reader.has_work() && sink.written == body && usage.input == 3U));
    const std::string error =
        "data: {\"error\":\"" + std::string(std::size_t{300} * 1024, 'a') + "\"}\n\n";
    BOOST_TEST((reader.take_body(error) && reader.has_work()));
    BOOST_TEST(!test::run_on(loop, reader.work(readers, nullptr)));
    BOOST_TEST((reader.finish(result).has_value() && sink.written == body));
}
// Each in a document and, for streams, in an event without a name.
BOOST_AUTO_TEST_CASE(an_answer_has_its_routes_own_members) {
    using enum RelayRoute;
    const std::string_view failures[] = {
        R"({"choices":null,"base_resp":{"status_code":1004,"status_msg":"login fail"}})",
        R"({"choices":[{"message":{},"delta":{}}],"base_resp":{"status_code":1027}})",
        R"({"code":"InvalidApiKey","message":"No","request_id":"x"})",
        R"({"code":401,"msg":"token expired"})",
        R"({"error_code":110,"error_msg":"Access token invalid"})",
        R"({"Response":{"Error":{"Code":"AuthFailure","Message":"No"}}})",
        R"({"success":false,"message":"No","choices":[{"message":{},"delta":{}}]})",
        R"({"detail":"No"})",
        R"({"detail":[{"msg":"No"}]})",
        R"({"errors":[{"message":"No"}]})",
        R"({"__type":"AccessDeniedException","Message":"No"})",
        R"({"status":"error","data":"No"})",
        R"({"error":["No"]})",
        R"({"choices":[{"index":0,"delta":{"content":"No"},"message":{},"finish_reason":"error_finish"}]})",
        R"({"choices":[{"index":0,"delta":{},"message":{},"error":{"message":"No"}}]})",
    };
    for (const auto body : failures)
        for (const RelayRoute route : {chat, completions, embeddings, responses, compact, messages,
                                       images, speech, rerank}) {
            BOOST_TEST(hear(json_type, body, 50, 200, {}, route).outcome == "error", body);
            const auto event = "data: " + std::string{body} + "\n\n";
            const Relayed heard = hear(sse, event, 50, 200, {}, route);
            BOOST_TEST(heard.outcome == "error", event);
            BOOST_TEST(heard.written == "");
        }
    const std::tuple<RelayRoute, std::string_view, std::string_view> documents[] = {
        {chat, R"({"choices":[]})", "not_this_protocol"},
        {chat, R"({"choices":[{}]})", "not_this_protocol"},
        {chat, R"({"choices":[{"message":{}}]}{"choices":[{"message":{}}]})", "cut_off"},
        {chat, R"({"data":[{"embedding":[1]}]})", "not_this_protocol"},
        {completions, R"({"choices":[{"text":""}]})", "ok"},
        {embeddings, R"({"data":null})", "not_this_protocol"},
        {responses, R"({"output":[],"status":"completed","error":null})", "ok"},
        {responses, R"({"output":[],"status":"failed"})", "error"},
        {responses, R"({"status":"completed"})", "not_this_protocol"},
        {messages, R"({"type":"message","content":[],"stop_reason":"end_turn"})", "ok"},
        {messages, R"({"type":"message"})", "not_this_protocol"},
        {compact, R"({"object":"response.compaction","output":[]})", "ok"},
        {images, R"({"data":[{"url":"https://i.example"}]})", "ok"},
        {images, R"({"images":[{"url":"https://i.example"}]})", "ok"},
        {images, R"({"data":[{"revised_prompt":"x"}]})", "not_this_protocol"},
        {images, R"({"data":[]})", "not_this_protocol"},
        {images, R"({"data":[{"embedding":[1]}]})", "not_this_protocol"},
        {embeddings, R"({"data":[{"url":"https://i.example"}]})", "not_this_protocol"},
        {rerank, R"({"object":"list","data":[{"index":0,"relevance_score":1e-3}]})", "ok"},
        {rerank, R"({"results":[{"index":0,"relevance_score":"1"}]})", "not_this_protocol"},
        {rerank, R"({"results":[{"index":0}]})", "not_this_protocol"},
        {speech, R"({"audio":"AA"})", "not_this_protocol"},
        {count_tokens, R"({"input_tokens":3})", "ok"},
        {count_tokens, R"({"input_tokens":"3"})", "not_this_protocol"},
    };
    for (const auto& [route, body, outcome] : documents)
        for (const auto type :
             {json_type, "text/plain", "", "application/octet-stream", "text/html", sse})
            BOOST_TEST(hear(type, body, 50, 200, {}, route).outcome == outcome, body);
}

// The tool gets a type of our list. Text in the place of sound is no speech, whatever its label.
BOOST_AUTO_TEST_CASE(speech_goes_on_as_it_came) {
    using namespace std::string_literals;
    const std::string tail = "\0\x80{}\r\n\n <\x01"s;
    const std::tuple<std::string_view, std::string, std::string_view> sounds[] = {
        {"audio/mpeg", "ID3" + tail, "audio/mpeg"},
        {"audio/mp3", "\xff\xfb" + tail, "audio/mpeg"},
        {"audio/x-wav", "RIFF" + tail, "audio/wav"},
        {"audio/pcm", " " + tail, "audio/pcm"},
        {"audio/pcm", "{" + tail, "audio/pcm"},
        {"audio/opus", "OggS" + tail, "audio/opus"},
        {"application/octet-stream", "\xff\xf3" + tail, "audio/mpeg"},
        {"", "OggS" + tail, "audio/ogg"},
        {"text/plain", "fLaC" + tail, "audio/flac"},
        {"audio/x-unknown", "RIFF" + tail, "audio/wav"},
    };
    for (const auto& [label, body, type] : sounds)
        for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, body.size()}) {
            const Relayed heard = hear(label, body, piece, 200, {}, RelayRoute::speech);
            BOOST_TEST(heard.outcome == "ok", label);
            BOOST_TEST(heard.written == body);
            BOOST_TEST(heard.head.sound_type == type);
            BOOST_TEST(!heard.head.is_stream);
            BOOST_TEST(hear(label, body, piece).outcome != "ok"); // of a chat
        }
    const std::tuple<std::string_view, std::string, std::string_view> others[] = {
        {"audio/mpeg", R"({"error":{"message":"No"}})", "error"},
        {"audio/mpeg", R"({"message":"No"})", "error"},
        {"audio/mpeg", "Internal error", "not_this_protocol"},
        {"audio/pcm", "<html>", "not_this_protocol"},
        {"audio/mpeg", R"({"audio":"AA"})", "not_this_protocol"},
        {"audio/mpeg", "", "cut_off"},
        {"text/plain", "Invalid voice", "not_this_protocol"},
        {"audio/x-unknown", "\x01\x02"s + tail, "not_this_protocol"},
        {"application/octet-stream", "Rx"s + tail, "not_this_protocol"},
        {"audio/mpeg", "ID3\0"s.append(relay_key), "not_this_protocol"},
    };
    for (const auto& [label, body, outcome] : others) {
        const Relayed heard = hear(label, body, 5, 200, {}, RelayRoute::speech);
        BOOST_TEST(heard.outcome == outcome, body);
        BOOST_TEST(heard.written == "");
    }
    const auto cut =
        hear("audio/mpeg", "ID3" + tail, 5, 200, net::HttpFailure::cut_off, RelayRoute::speech);
    BOOST_TEST((cut.outcome == "cut_off" && cut.written.empty()));
}

// The first byte decides, not the label. What is neither answer nor error is left out.
BOOST_AUTO_TEST_CASE(of_a_stream_only_answers_go_on) {
    const std::string answer =
        "data:  {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n\n";
    const std::string end = "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"stop\"}]}\n\n";
    const std::string other = "data: {\"state\":\"sk-key\"}\n\ndata: ping\n\n";
    const std::string document = ": sk-key\n\n" + answer + other + ": sk-key\n\n" + end;
    const std::string kept = answer + ":\n" + end;
    for (const auto type :
         {sse, json_type, "text/plain", "", "application/octet-stream", "text/html"}) {
        const Relayed heard = hear(type, document);
        BOOST_TEST(heard.outcome == "ok");
        BOOST_TEST(heard.written == kept);
        BOOST_TEST(heard.head.is_stream);
    }
    BOOST_TEST(hear(sse, other).outcome == "not_this_protocol");
    BOOST_TEST(hear(sse, "data: [DONE]\n\n").outcome == "not_this_protocol");
    BOOST_TEST(hear(sse, answer + "data: {\"choices\":[{\"del\n\n" + end).outcome == "cut_off");
    for (const auto* const word : {"\"\"", "\"null\"", "null"}) {
        const auto cut =
            "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":" + std::string{word} +
            "}]}\n\n";
        BOOST_TEST(hear(sse, cut).outcome == "cut_off", word);
    }
    const std::string second = "data: {\"choices\":[{\"index\":1,\"delta\":{}}]}\n\n";
    BOOST_TEST(hear(sse, second + answer + end).outcome ==
               "cut_off"); // of two choices one has ended
    const std::string started = "data: "
                                "{\"type\":\"message_start\",\"message\":{\"usage\":{\"input_"
                                "tokens\":3,\"output_tokens\":1}}}\n\n";
    const Relayed abandoned = hear(sse, started, 9, 200, {}, RelayRoute::messages);
    BOOST_TEST((abandoned.usage.input == 3U && !abandoned.usage.output));
}

BOOST_AUTO_TEST_CASE(an_answer_with_the_key_ends) {
    const std::string open = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"";
    const auto content = [&](const std::string& text) { return open + text + "\"}}]}\n\n"; };
    const std::string escaped = "sk-0123456789abcdef\\\"\\/x";
    const std::string streams[] = {
        ": " + std::string{relay_key} + "\n\n",
        content(escaped),
        content("\\u0073k-0123456789abcdef\\\"/\\u0078"),
        content("{\\\"a\\\":\\\"sk-0123456789abcdef\\\\\\\"\\\\/x\\\"}"),
        content("sk-01234") + content("") + content("56789abcdef\\\"\\/") + content("x"),
        "data: {\"choices\":[],\"debug\":\"" + escaped + "\"}\n\n",
        "data: {\"debug\":\"" + escaped + "\"}\n\n",
        "id: " + std::string{relay_key} + "\ndata: {\"choices\":[]}\n\n",
    };
    for (const auto& stream : streams) {
        const Relayed heard = hear(sse, stream + content("z"));
        BOOST_TEST(heard.outcome == "not_this_protocol", stream);
        BOOST_TEST(!has(heard.written, "z"), stream);
    }
    const auto document = R"({"choices":[{"message":{}}],"debug":")" + escaped + "\"}";
    BOOST_TEST(hear(json_type, document).outcome == "not_this_protocol");
    BOOST_TEST(hear(sse, content("sk-0123456789abcde")).outcome == "cut_off"); // a part of it
}

// Two choices, two calls of tools, or thoughts and words, whose events come in turn.
BOOST_AUTO_TEST_CASE(the_key_is_found_in_texts_that_come_in_turn) {
    const std::pair<const char*, const char*> turns[] = {
        {R"("index":0,"delta":{"content":"@"})", R"("index":1,"delta":{"content":"@"})"},
        {R"("delta":{"content":"@"},"index":0)", R"("delta":{"content":"@"},"index":1)"},
        {R"("index":0,"delta":{"reasoning_content":"@"})", R"("index":0,"delta":{"content":"@"})"},
        {R"("delta":{"tool_calls":[{"index":0,"function":{"arguments":"@"}}]})",
         R"("delta":{"tool_calls":[{"function":{"arguments":"@"},"index":1}]})"},
        {R"("index":0,"delta":{"content":"@"}},{"index":1,"delta":{"content":"x"})",
         R"("index":1,"delta":{"content":"@"})"},
    };
    for (const auto& [one, other] : turns) {
        std::string stream;
        for (const char* const piece : {"sk-0123", "456789abc", "def\\\"/", "x"})
            for (std::string choice : {one, other})
                stream += "data: {\"choices\":[{" + choice.replace(choice.find('@'), 1, piece) +
                          "}]}\n\n";
        BOOST_TEST(hear(sse, stream).outcome == "not_this_protocol", one);
    }
}

BOOST_AUTO_TEST_CASE(an_answer_with_the_value_of_a_header_in_it_ends) {
    const auto outcome = [](std::string_view value, std::string_view body) {
        Sink sink;
        Usage usage;
        const net::KeyHeader header{"x-tenant", "", value};
        RelayReader reader{RelayRoute::chat, relay_key, sink, usage, nullptr, {&header, 1}};
        net::HttpResult result;
        result.head.status = 200;
        reader.take_head(result.head);
        reader.take_body(body);
        try {
            if (!reader.finish(result)) reader.conclude(result);
            return "ok"s;
        } catch (const UpstreamError& error) {
            return std::string{error.reason_name()};
        }
    };
    const auto saying = [](const std::string& text) {
        return R"({"choices":[{"message":{"content":")" + text + R"("}}]})";
    };
    BOOST_TEST(outcome("acme corp", saying("acme  corp")) == "ok");
    BOOST_TEST(outcome("acme-co", saying("acme-co")) == "ok"); // a word like any
    for (const char* text : {"of acme corp!", R"(\u0061cme\u0020corp)", R"(\\u0061cme corp)"})
        BOOST_TEST(outcome("acme corp", saying(text)) == "not_this_protocol", text);
    const auto piece = [&](const char* text) {
        return "data: {\"choices\":[{\"delta\":{\"content\":\""s + text + "\"}}]}\n\n";
    };
    BOOST_TEST(outcome("acme corp", piece("acme") + piece(" co") + piece("rp")) ==
               "not_this_protocol");
}

BOOST_AUTO_TEST_CASE(no_limit_has_the_value_of_a_header_in_it) {
    Sink sink;
    Usage usage;
    const net::KeyHeader header{"x-tenant", "", "123456789012"};
    RelayReader reader{RelayRoute::chat, relay_key, sink, usage, nullptr, {&header, 1}};
    net::HttpHead head;
    head.fields = {{"x-ratelimit-limit-requests", "123456789012"},
                   {"x-ratelimit-remaining-requests", "12345678901"}};
    reader.take_head(head);
    BOOST_REQUIRE(reader.limits().size() == 1);
    BOOST_TEST(reader.limits().front().second == "12345678901");
}

// The call ends a moment after it, on whatever connection.
BOOST_AUTO_TEST_CASE(a_stream_has_a_last_word) {
    const auto event = [](const std::string& data) { return "data: " + data + "\n\n"; };
    const std::string chat = event(R"({"choices":[{"index":0,"delta":{"content":"a"}}]})");
    const std::string message = event(
        R"({"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":1}}})");
    const std::string response =
        event(R"({"type":"response.created","response":{"id":"r","output":[]}})");
    const std::tuple<RelayRoute, std::string, std::string> table[] = {
        {RelayRoute::chat, chat,
         event(R"({"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})")},
        {RelayRoute::chat, chat, event(R"({"choices":[{"delta":{},"finish_reason":"odd_one"}]})")},
        {RelayRoute::chat, chat, event("[DONE]")},
        {RelayRoute::completions, event(R"({"choices":[{"text":"a","finish_reason":null}]})"),
         event(R"({"choices":[{"text":"","finish_reason":"length"}]})")},
        {RelayRoute::messages, message, event(R"({"type":"message_stop"})")},
        {RelayRoute::responses, response,
         event(R"({"type":"response.completed","response":{"id":"r","output":[]}})")},
        {RelayRoute::responses, response,
         event(R"({"type":"response.incomplete","response":{"id":"r","output":[]}})")},
    };
    for (const auto& [route, first, last] : table) {
        Sink sink;
        Usage usage;
        RelayReader reader{route, relay_key, sink, usage};
        net::HttpHead head;
        head.status = 200;
        head.content_type = sse;
        reader.take_head(head);
        reader.take_body(first);
        BOOST_TEST(!reader.has_last_word(), first);
        reader.take_body(last);
        BOOST_TEST(reader.has_last_word(), last);
        BOOST_TEST(sink.written == first + last, last);
    }
}

BOOST_AUTO_TEST_CASE(what_says_success_fails_no_relay) {
    const std::string first = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    const std::string last = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    for (const std::string member :
         {R"("code":20000,"message":"success")", R"("code":"0000")", R"("error":{})",
          R"("error":{"message":"","code":null})", R"("status":"succeeded")"}) {
        const std::string alone = "data: {" + member + "}\n\n";
        BOOST_TEST(hear(sse, alone + first + last).outcome == "ok", member);
        BOOST_TEST(hear(sse, first + last + alone).outcome == "ok", member);
        const auto whole = R"({"choices":[{"message":{"content":"a"}}],)" + member + "}";
        BOOST_TEST(hear(json_type, whole).outcome == "ok", whole);
    }
}

BOOST_AUTO_TEST_CASE(an_error_in_any_spelling_ends_a_relay) {
    const std::string first = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n";
    for (const std::string event :
         {"data: {\"choices\":[],\"code\":401,\"msg\":\"invalid api key\"}\n\n",
          "data: {\"message\":\"invalid worker\"}\n\n", "data: {\"status\":\"500\"}\n\n",
          "data: {\"choices\":[{\"error\":\"no\"}]}\n\n",
          "{\"error\":{\"message\":\"invalid api key\"}}\n\n", "event: Error\ndata: {}\n\n",
          "event: exception\ndata: no\n\n", "event: error\n\n", "data: Error: no\n\n"})
        for (const std::string end : {"", "data: [DONE]\n\n"}) {
            const auto heard = hear(sse, first + event + end);
            BOOST_TEST(heard.outcome == "error", event << end);
            BOOST_TEST(heard.written == first, event << end);
        }
    const auto empty = R"({"choices":[],"code":401,"msg":"invalid api key"})";
    BOOST_TEST(hear(json_type, empty).outcome == "error");
}

// Events with one newline between them are given on with a blank line.
BOOST_AUTO_TEST_CASE(glued_events_are_parted) {
    const std::string first = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n";
    const auto heard = hear(sse, first + "data: [DONE]\n\n");
    BOOST_TEST(heard.outcome == "ok");
    BOOST_TEST(heard.written == first + "\n" + "data: [DONE]\n\n");
}

BOOST_AUTO_TEST_CASE(done_ends_chats_alone) {
    const std::string begun =
        "data: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"content\":[]}}\n\n";
    BOOST_TEST(
        hear(sse, begun + "data: [DONE]\n\n", 7, 200, net::HttpFailure::none, RelayRoute::messages)
            .outcome == "cut_off");
}
// NOLINTEND(modernize-raw-string-literal)
