// Each protocol's answers as they were recorded, whole and as streams: the same tokens however the
// bytes are cut, and every end named for what it is.
#include "adapters/reading/chat_reader.hpp"
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

struct Recorded {
    const char* name;
    Protocol protocol;
    std::string text;
    std::vector<std::string> tokens;
    std::string model;
};

// Events as the providers send them, shortened to the fields that matter and some that must not.
const std::vector<Recorded>& streams() {
    static const std::vector<Recorded> table{
        {"OpenAI, with usage",
         Protocol::openai,
         R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x-2026","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"Grüß"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":" dich \u20ac\n"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"😀"},"finish_reason":null}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[],"usage":{"total_tokens":9}}

data: [DONE]

)",
         {"Grüß", " dich €\n", "😀"},
         "gpt-x-2026"},
        {"OpenRouter: comments, reasoning, CRLF, a null error",
         Protocol::openai,
         ": OPENROUTER PROCESSING\r\n\r\n: OPENROUTER PROCESSING\r\n\r\n"
         R"(data: {"id":"gen-1","provider":"X","model":"m/r1","error":null,"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Let me think"},"finish_reason":null}]})"
         "\r\n\r\n"
         R"(data: {"id":"gen-1","model":"m/r1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"more","reasoning_details":[{"type":"reasoning.text","text":"x"}]},"finish_reason":null}]})"
         "\r\n\r\n"
         R"(data: {"type":"keepalive"})"
         "\r\n\r\n"
         R"(data: {"id":"gen-1","model":"m/r1","choices":[{"index":0,"delta":{"content":"pong"},"finish_reason":"stop","native_finish_reason":"stop"}]})"
         "\r\n\r\ndata: [DONE]\r\n\r\n",
         {"pong"},
         "m/r1"},
        {"no [DONE], lone CR, no last blank line",
         Protocol::openai,
         "data:{\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\r"
         "data:{\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":"
         "\"length\"}]}\r",
         {"a", "b"},
         "m"},
        {"[DONE] without a finish reason",
         Protocol::openai,
         "data: {\"model\":\"\",\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n",
         {"a"},
         "asked-model"},
        {"Mistral: content in parts",
         Protocol::openai,
         R"(data: {"model":"magistral","choices":[{"index":0,"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}]},"finish_reason":null}]}

data: {"model":"magistral","choices":[{"index":0,"delta":{"content":[{"type":"text","text":"yes"}]},"finish_reason":"stop"}]}

data: [DONE]
)",
         {"yes"},
         "magistral"},
        {"halves of a surrogate pair in two events",
         Protocol::openai,
         R"(data: {"model":"m","choices":[{"delta":{"content":"x\ud83d"}}]}

data: {"model":"m","choices":[{"delta":{"content":"\ude00y"},"finish_reason":"stop"}]}

data: [DONE]

)",
         {"x", "😀y"},
         "m"},
        {"bytes of a character in two events",
         Protocol::openai,
         "data: {\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"\xe2\x82\"}}]}\n\n"
         "data: "
         "{\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"\xac\"},\"finish_reason\":"
         "\"stop\"}]}\n\n",
         {"€"},
         "m"},
        {"Ollama",
         Protocol::ollama,
         R"(data: {"id":"chatcmpl-7","object":"chat.completion.chunk","model":"llama3","system_fingerprint":"fp_ollama","choices":[{"index":0,"delta":{"role":"assistant","content":"Hi"},"finish_reason":null}]}

data: {"id":"chatcmpl-7","object":"chat.completion.chunk","model":"llama3","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":"stop"}]}

data: [DONE]

)",
         {"Hi"},
         "llama3"},
        {"Azure: filter results first",
         Protocol::azure_openai,
         R"(data: {"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]}

data: {"choices":[{"content_filter_results":{},"delta":{"content":"Hi"},"finish_reason":null,"index":0}],"model":"gpt-4o-2024","object":"chat.completion.chunk"}

data: {"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0}],"model":"gpt-4o-2024"}

data: [DONE]

)",
         {"Hi"},
         "gpt-4o-2024"},
        {"Anthropic, thinking first",
         Protocol::anthropic,
         R"(event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":9}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq=="}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüß"}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" dich 😀"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}

event: an_event_of_the_future
data: {"type":"an_event_of_the_future","x":1}

event: message_stop
data: {"type":"message_stop"}

)",
         {"Grüß", " dich 😀"},
         "claude-x"},
        {"Gemini, thinking first",
         Protocol::gemini,
         "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hm.\",\"thought\": "
         "true}],\"role\": \"model\"},\"index\": 0}],\"usageMetadata\": {\"thoughtsTokenCount\": "
         "4},\"modelVersion\": \"gemini-x\"}\r\n\r\n"
         "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Grüß\"}],\"role\": "
         "\"model\"},\"index\": 0}],\"modelVersion\": \"gemini-x\"}\r\n\r\n"
         "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \" dich\"},{\"text\": \" "
         "😀\"}],\"role\": \"model\"}}],\"modelVersion\": \"gemini-x\"}\r\n\r\n"
         "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\",\"thoughtSignature\": "
         "\"AY8=\"}]},\"finishReason\": \"STOP\"}],\"modelVersion\": \"gemini-x\"}\r\n\r\n"
         "data: {\"usageMetadata\": {\"totalTokenCount\": 10},\"modelVersion\": "
         "\"gemini-x\"}\r\n\r\n",
         {"Grüß", " dich 😀"},
         "gemini-x"},
    };
    return table;
}

void expect(const Heard& heard, const Recorded& recorded, const std::string& how) {
    BOOST_TEST_CONTEXT(recorded.name << ", " << how) {
        BOOST_TEST(heard.reason() == "");
        BOOST_TEST(heard.tokens == recorded.tokens, boost::test_tools::per_element());
        BOOST_TEST(heard.reply.model == recorded.model);
    }
}

} // namespace

BOOST_AUTO_TEST_SUITE(chat_reading)

BOOST_AUTO_TEST_CASE(a_stream_cut_at_any_byte_gives_the_same_tokens) {
    for (const auto& recorded : streams()) {
        const std::string_view all = recorded.text;
        for (std::size_t cut = 0; cut <= all.size(); ++cut)
            expect(hear({.protocol = recorded.protocol}, {all.substr(0, cut), all.substr(cut)}),
                   recorded, "cut at " + std::to_string(cut));
    }
}

BOOST_AUTO_TEST_CASE(a_stream_byte_by_byte_gives_the_same_tokens) {
    for (const auto& recorded : streams())
        for (const std::string& mark : {std::string{}, std::string{"\xef\xbb\xbf"}}) {
            const std::string text = mark + recorded.text;
            expect(hear({.protocol = recorded.protocol}, byte_by_byte(text)), recorded,
                   "byte by byte");
        }
}

BOOST_AUTO_TEST_CASE(a_whole_answer_is_one_token) {
    const std::vector<Recorded> answers{
        {"OpenAI",
         Protocol::openai,
         R"({"id":"c","object":"chat.completion","model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"Grüß 😀","refusal":null},"finish_reason":"stop"}],"usage":{"total_tokens":3}})",
         {"Grüß 😀"},
         "gpt-x"},
        {"a model that declines",
         Protocol::openai,
         R"({"model":"gpt-x","choices":[{"message":{"role":"assistant","content":null,"refusal":"I can't."},"finish_reason":"stop"}]})",
         {"I can't."},
         "gpt-x"},
        {"no finish reason",
         Protocol::openai,
         "\n "
         R"({"choices":[{"message":{"content":"a"},"finish_reason":null}]})",
         {"a"},
         "asked-model"},
        {"reasoning apart",
         Protocol::openai,
         R"({"model":"m","choices":[{"message":{"content":"a","reasoning_content":"hm"},"finish_reason":"stop"}]})",
         {"a"},
         "m"},
        {"Anthropic",
         Protocol::anthropic,
         R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn"})",
         {"ab"},
         "claude-x"},
        {"Gemini",
         Protocol::gemini,
         R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"}],"role":"model"},"finishReason":"STOP"}],"modelVersion":"gemini-x"})",
         {"a"},
         "gemini-x"},
        {"Gemini, an array",
         Protocol::gemini,
         R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"modelVersion":"g"},
             {"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}])",
         {"ab"},
         "g"},
        {"a name of the model that can't be shown",
         Protocol::openai,
         R"({"model":"a\u0007b","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})",
         {"a"},
         "asked-model"},
    };
    for (const auto& answer : answers) {
        const std::string_view all = answer.text;
        for (std::size_t cut = 0; cut <= all.size(); ++cut)
            expect(hear({.protocol = answer.protocol}, {all.substr(0, cut), all.substr(cut)}),
                   answer, "cut at " + std::to_string(cut));
    }
}

namespace {

struct End {
    const char* name;
    Protocol protocol;
    std::string text;
    net::HttpFailure failure;
    std::string error;       ///< without a check
    std::string check_error; ///< as a connectivity check
};

std::string chunk(const std::string& choice) { return "data: {\"choices\":[" + choice + "]}\n\n"; }

} // namespace

BOOST_AUTO_TEST_CASE(every_end_is_told_for_what_it_is) {
    const std::string a = chunk(R"({"delta":{"content":"a"}})");
    const std::string stop = chunk(R"({"delta":{},"finish_reason":"stop"})");
    const std::string start = R"(data: {"type":"message_start","message":{"model":"m"}})"
                              "\n\n";
    const std::vector<End> ends{
        {"cut by the network", Protocol::openai, a, net::HttpFailure::cut_off, "cut_off", ""},
        {"ended in good order, but nothing says whole", Protocol::openai, a, net::HttpFailure::none,
         "cut_off", ""},
        {"cut before any text", Protocol::openai, chunk(R"({"delta":{"role":"assistant"}})"),
         net::HttpFailure::none, "cut_off", "cut_off"},
        {"cut after the finish reason", Protocol::openai, a + stop, net::HttpFailure::cut_off, "",
         ""},
        {"silent after the finish reason", Protocol::openai, a + stop, net::HttpFailure::timed_out,
         "", ""},
        {"timed out", Protocol::openai, a, net::HttpFailure::timed_out, "timed_out", ""},
        {"timed out with nothing", Protocol::openai, "", net::HttpFailure::timed_out, "timed_out",
         "timed_out"},
        {"nothing at all", Protocol::openai, "", net::HttpFailure::none, "not_this_protocol",
         "not_this_protocol"},
        {"an empty answer that was meant", Protocol::openai, stop, net::HttpFailure::none, "empty",
         "empty"},
        {"no text, all tokens used", Protocol::openai,
         chunk(R"({"delta":{"reasoning":"hm"},"finish_reason":"length"})"), net::HttpFailure::none,
         "empty", ""},
        {"text and all tokens used", Protocol::openai,
         a + chunk(R"({"delta":{},"finish_reason":"length"})"), net::HttpFailure::none, "", ""},
        {"filtered", Protocol::openai, chunk(R"({"delta":{},"finish_reason":"content_filter"})"),
         net::HttpFailure::none, "policy", "policy"},
        {"filtered after some text", Protocol::openai,
         a + chunk(R"({"delta":{},"finish_reason":"content_filter"})"), net::HttpFailure::none, "",
         ""},
        {"a tool in place of text", Protocol::openai,
         chunk(R"({"delta":{"tool_calls":[{}]},"finish_reason":"tool_calls"})"),
         net::HttpFailure::none, "empty", "empty"},
        {"only [DONE]", Protocol::openai, "data: [DONE]\n\n", net::HttpFailure::none,
         "not_this_protocol", "not_this_protocol"},
        {"a web page", Protocol::openai, " <!DOCTYPE html><html>", net::HttpFailure::none,
         "not_this_protocol", "not_this_protocol"},
        {"plain text", Protocol::openai, "It works!", net::HttpFailure::none, "not_this_protocol",
         "not_this_protocol"},
        {"other JSON", Protocol::openai, R"({"hello":"world"})", net::HttpFailure::none,
         "not_this_protocol", "not_this_protocol"},
        {"half a JSON", Protocol::openai, R"({"choices":[{"mess)", net::HttpFailure::none,
         "not_this_protocol", "not_this_protocol"},
        {"half a JSON, cut", Protocol::openai, R"({"choices":[{"mess)", net::HttpFailure::cut_off,
         "cut_off", "cut_off"},
        {"a broken event", Protocol::openai, a + "data: {\"choices\":[{]\n\n",
         net::HttpFailure::none, "not_this_protocol", ""},
        {"another protocol's events", Protocol::anthropic, a + stop, net::HttpFailure::none,
         "not_this_protocol", "not_this_protocol"},
        {"Anthropic cut", Protocol::anthropic, start, net::HttpFailure::none, "cut_off", "cut_off"},
        {"Anthropic stop without a reason", Protocol::anthropic,
         start + R"(data: {"type":"message_stop"})"
                 "\n\n",
         net::HttpFailure::none, "empty", "empty"},
        {"Anthropic refusal", Protocol::anthropic,
         start + R"(data: {"type":"message_delta","delta":{"stop_reason":"refusal"}})"
                 "\n\n",
         net::HttpFailure::none, "policy", "policy"},
        {"Anthropic length", Protocol::anthropic,
         R"({"content":[],"model":"m","stop_reason":"max_tokens"})", net::HttpFailure::none,
         "empty", ""},
        {"Gemini prompt blocked", Protocol::gemini,
         R"(data: {"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{}})"
         "\n\n",
         net::HttpFailure::none, "policy", "policy"},
        {"Gemini answer blocked", Protocol::gemini,
         R"({"candidates":[{"finishReason":"RECITATION"}]})", net::HttpFailure::none, "policy",
         "policy"},
        {"Gemini length", Protocol::gemini,
         R"({"candidates":[{"content":{"role":"model"},"finishReason":"MAX_TOKENS"}]})",
         net::HttpFailure::none, "empty", ""},
        {"Gemini cut", Protocol::gemini,
         R"(data: {"candidates":[{"content":{"parts":[{"text":"a"}]}}]})"
         "\n\n",
         net::HttpFailure::none, "cut_off", ""},
    };
    for (const auto& end : ends) {
        ChatRequest check = asking();
        check.check = true;
        const std::vector<std::string_view> text{end.text};
        const Answered how{.protocol = end.protocol, .failure = end.failure};
        BOOST_TEST(hear(how, text).reason() == end.error, end.name);
        BOOST_TEST(hear(how, text, check).reason() == end.check_error, end.name << ", as a check");
    }
}

BOOST_AUTO_TEST_CASE(an_error_inside_an_answer_is_told) {
    const std::string a = chunk(R"({"delta":{"content":"a"}})");
    struct Row {
        const char* name;
        Protocol protocol;
        std::string text;
        Reason reason;
        std::string message;
    };
    const std::vector<Row> rows{
        {"OpenAI", Protocol::openai,
         a + R"(data: {"error":{"message":"The server had an error","type":"server_error","code":null}})"
             "\n\n",
         Reason::failed, "The server had an error"},
        {"OpenRouter", Protocol::openai,
         a + R"(data: {"id":"g","choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":429,"message":"slow down"}})"
             "\n\n",
         Reason::rate_limited, "slow down"},
        {"OpenRouter, in the choice", Protocol::openai,
         a + chunk(
                 R"({"delta":{"content":""},"finish_reason":"error","error":{"code":502,"message":"upstream"}})"),
         Reason::failed, "upstream"},
        {"only the reason", Protocol::openai, a + chunk(R"({"delta":{},"finish_reason":"error"})"),
         Reason::failed, ""},
        {"vLLM", Protocol::openai,
         R"(data: {"object":"error","message":"maximum context length is 8","type":"BadRequestError","code":400})"
         "\n\n",
         Reason::too_long, "maximum context length is 8"},
        {"a string", Protocol::openai, R"({"error":"model not found"})", Reason::unknown_model,
         "model not found"},
        {"whole", Protocol::openai,
         R"({"error":{"message":"No credit","code":"insufficient_quota"}})", Reason::out_of_credit,
         "No credit"},
        {"Anthropic", Protocol::anthropic,
         "event: error\n"
         R"(data: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})"
         "\n\n",
         Reason::overloaded, "Overloaded"},
        {"Gemini", Protocol::gemini,
         R"(data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}})"
         "\n\n",
         Reason::overloaded, "The model is overloaded."},
        {"Gemini, an array", Protocol::gemini,
         R"([{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED"}}])",
         Reason::rate_limited, "Quota"},
    };
    for (const auto& row : rows) {
        const auto heard = hear({.protocol = row.protocol}, {row.text});
        BOOST_TEST_CONTEXT(row.name) {
            BOOST_REQUIRE(heard.error.has_value());
            BOOST_TEST((heard.error->reason() == row.reason));
            BOOST_TEST(heard.error->sentence() ==
                       UpstreamError(row.reason, row.message).sentence());
        }
    }
}

namespace {

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += text;
    return all;
}

} // namespace

BOOST_AUTO_TEST_CASE(an_answer_is_bounded_whatever_its_form) {
    const std::size_t limit = std::size_t{4} << 20U;
    const auto whole = [](const std::string& content) {
        return R"({"choices":[{"message":{"content":")" + content +
               R"("},"finish_reason":"stop"}]})";
    };
    const auto event = [](const std::string& text) { return "data: " + text + "\n\n"; };
    const std::string token = chunk(R"({"delta":{"content":"0123456789"}})");
    const std::string numbers = R"({"x":[0)" + repeated(",0", 1'000'000) + "]}";
    const struct {
        const char* name;
        std::size_t limit;
        std::string text;
        std::string reason;
    } table[] = {
        {"tokens", 25, token + token + token, "too_large"},
        {"as much text as is allowed, all of it escaped", limit,
         whole(repeated("\\n", limit - 100)), ""},
        {"a whole answer with more around it", limit, whole("a") + std::string(limit, ' '),
         "too_large"},
        {"a whole answer whose tree is large", limit,
         R"({"x":[0)" + repeated(",0", limit - 100) + "]}", "too_large"},
        {"an event without end", limit, token + "data: " + std::string(2 << 20U, 'x'), "too_large"},
        {"an event whose tree is large", limit, event(numbers), "too_large"},
        {"white space first", limit, std::string(65'000, '\n') + whole("a"), ""},
        {"white space without end", limit, std::string(66'000, ' ') + whole("a"),
         "not_this_protocol"},
    };
    for (const auto& row : table)
        for (const std::size_t size : {std::size_t{1}, std::size_t{16'000}}) {
            std::vector<std::string_view> pieces;
            for (std::string_view rest = row.text; !rest.empty();
                 rest.remove_prefix(pieces.back().size()))
                pieces.push_back(rest.substr(0, size));
            BOOST_TEST(hear({.limit = row.limit}, pieces).reason() == row.reason,
                       row.name << " in pieces of " << size);
        }
}

BOOST_AUTO_TEST_CASE(the_last_word_ends_the_reading) {
    const auto heard = hear({}, {chunk(R"({"delta":{"content":"a"},"finish_reason":"stop"})"),
                                 "data: [DONE]\n\n", chunk(R"({"delta":{"content":"never"}})")});
    BOOST_TEST(heard.stopped);
    BOOST_TEST(heard.reply.content == "a");
}

BOOST_AUTO_TEST_SUITE_END()
