// Each protocol's answers as they were recorded, whole and as streams: the same tokens however the
// bytes are cut, and every end named for what it is.
#include "adapters/reading/chat_reader.hpp"
#include "tests/unit/adapters/support.hpp"
#include "tests/unit/test.hpp"

using namespace usershell::adapters;
namespace {
struct Recorded {
    const char* name;
    Protocol protocol;
    std::string text;
    std::string tokens; ///< with a bar between two
    std::string model;
};

/// An event for each text.
std::string events(std::initializer_list<std::string_view> texts,
                   const std::string& line_end = "\n") {
    std::string stream;
    for (const auto text : texts) stream.append("data: ").append(text).append(line_end + line_end);
    return stream;
}

// Events as the providers send them, shortened to the fields that matter and some that must not.
const std::vector<Recorded>& streams() {
    using enum Protocol;
    static const std::vector<Recorded> table{
        {"OpenAI, with usage", openai,
         events(
             {R"({"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-x-2026","choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]})",
              R"({"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"Grüß"},"finish_reason":null}]})",
              R"({"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":" dich \u20ac\n"},"finish_reason":null}]})",
              R"({"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{"content":"😀"},"finish_reason":null}]})",
              R"({"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
              R"({"id":"chatcmpl-1","object":"chat.completion.chunk","model":"gpt-x-2026","choices":[],"usage":{"total_tokens":9}})",
              "[DONE]"}),
         "Grüß| dich €\n|😀", "gpt-x-2026"},
        {"OpenRouter: comments, reasoning, CRLF, a null error", openai,
         ": OPENROUTER PROCESSING\r\n\r\n: OPENROUTER PROCESSING\r\n\r\n" +
             events(
                 {R"({"id":"gen-1","provider":"X","model":"m/r1","error":null,"choices":[{"index":0,"delta":{"role":"assistant","content":"","reasoning":"Let me think"},"finish_reason":null}]})",
                  R"({"id":"gen-1","model":"m/r1","choices":[{"index":0,"delta":{"content":null,"reasoning_content":"more","reasoning_details":[{"type":"reasoning.text","text":"x"}]},"finish_reason":null}]})",
                  R"({"type":"keepalive"})",
                  R"({"id":"gen-1","model":"m/r1","choices":[{"index":0,"delta":{"content":"pong"},"finish_reason":"stop","native_finish_reason":"stop"}]})",
                  "[DONE]"},
                 "\r\n"),
         "pong", "m/r1"},
        {"no [DONE], lone CR, no last blank line", openai,
         events({R"({"model":"m","choices":[{"delta":{"content":"a"}}]})"}, "\r") +
             R"(data:{"model":"m","choices":[{"delta":{"content":"b"},"finish_reason":"length"}]})" +
             "\r",
         "a|b", "m"},
        {"[DONE] without a finish reason", openai,
         events({R"({"model":"","choices":[{"delta":{"content":"a"}}]})", "[DONE]"}), "a",
         "asked-model"},
        {"halves of a surrogate pair in two events", openai,
         events(
             {R"({"model":"m","choices":[{"delta":{"content":"x\ud83d"}}]})",
              R"({"model":"m","choices":[{"delta":{"content":"\ude00y"},"finish_reason":"stop"}]})",
              "[DONE]"}),
         "x|😀y", "m"},
        {"bytes of a character in two events", openai,
         events({"{\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"\xe2\x82\"}}]}",
                 "{\"model\":\"m\",\"choices\":[{\"delta\":{\"content\":\"\xac\"},\"finish_"
                 "reason\":\"stop\"}]}"}),
         "€", "m"},
        {"Azure: filter results first", azure_openai,
         events(
             {R"({"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]})",
              R"({"choices":[{"content_filter_results":{},"delta":{"content":"Hi"},"finish_reason":null,"index":0}],"model":"gpt-4o-2024","object":"chat.completion.chunk"})",
              R"({"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0}],"model":"gpt-4o-2024"})",
              "[DONE]"}),
         "Hi", "gpt-4o-2024"},
        {"Anthropic, thinking first", anthropic,
         events(
             {R"({"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[],"stop_reason":null,"usage":{"input_tokens":9}}})",
              R"({"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}})",
              R"({"type": "ping"})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm."}})",
              R"({"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"Eq=="}})",
              R"({"type":"content_block_stop","index":0})",
              R"({"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}})",
              R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüß"}})",
              R"({"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" dich 😀"}})",
              R"({"type":"content_block_stop","index":1})",
              R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}})",
              R"({"type":"an_event_of_the_future","x":1})", R"({"type":"message_stop"})"}),
         "Grüß| dich 😀", "claude-x"},
        {"Gemini, thinking first", gemini,
         events(
             {R"({"candidates": [{"content": {"parts": [{"text": "Hm.","thought": true}],"role": "model"},"index": 0}],"usageMetadata": {"thoughtsTokenCount": 4},"modelVersion": "gemini-x"})",
              R"({"candidates": [{"content": {"parts": [{"text": "Grüß"}],"role": "model"},"index": 0}],"modelVersion": "gemini-x"})",
              R"({"candidates": [{"content": {"parts": [{"text": " dich"},{"text": " 😀"}],"role": "model"}}],"modelVersion": "gemini-x"})",
              R"({"candidates": [{"content": {"parts": [{"text": "","thoughtSignature": "AY8="}]},"finishReason": "STOP"}],"modelVersion": "gemini-x"})",
              R"({"usageMetadata": {"totalTokenCount": 10},"modelVersion": "gemini-x"})"},
             "\r\n"),
         "Grüß| dich 😀", "gemini-x"},
    };
    return table;
}

std::string joined(const std::vector<std::string>& tokens) {
    std::string text;
    for (const auto& token : tokens) text += (&token == &tokens.front() ? "" : "|") + token;
    return text;
}

void expect(const Recorded& recorded, const std::vector<std::string_view>& pieces) {
    const auto heard = hear({.protocol = recorded.protocol}, pieces);
    BOOST_TEST_CONTEXT(recorded.name << ", pieces from " << pieces.front().size() << " bytes on") {
        BOOST_TEST(heard.reason() == "");
        BOOST_TEST(joined(heard.tokens) == recorded.tokens);
        BOOST_TEST(heard.reply.model == recorded.model);
    }
}

void expect_cut_anywhere(const Recorded& recorded) {
    const std::string_view all = recorded.text;
    for (std::size_t cut = 0; cut <= all.size(); ++cut)
        expect(recorded, {all.substr(0, cut), all.substr(cut)});
}
} // namespace
BOOST_AUTO_TEST_SUITE(chat_reading)
BOOST_AUTO_TEST_CASE(a_stream_cut_at_any_byte_gives_the_same_tokens) {
    for (const auto& recorded : streams()) expect_cut_anywhere(recorded);
}

BOOST_AUTO_TEST_CASE(a_whole_answer_is_one_token) {
    using enum Protocol;
    const std::vector<Recorded> answers{
        {"OpenAI", openai,
         R"({"id":"c","object":"chat.completion","model":"gpt-x","choices":[{"index":0,"message":{"role":"assistant","content":"Grüß 😀","refusal":null},"finish_reason":"stop"}],"usage":{"total_tokens":3}})",
         "Grüß 😀", "gpt-x"},
        {"a model that declines", openai,
         R"({"model":"gpt-x","choices":[{"message":{"role":"assistant","content":null,"refusal":"I can't."},"finish_reason":"stop"}]})",
         "I can't.", "gpt-x"},
        {"Anthropic", anthropic,
         R"({"id":"msg_1","type":"message","role":"assistant","model":"claude-x","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn"})",
         "ab", "claude-x"},
        {"Gemini", gemini,
         R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"}],"role":"model"},"finishReason":"STOP"}],"modelVersion":"gemini-x"})",
         "a", "gemini-x"},
        {"Gemini, an array", gemini,
         R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"modelVersion":"g"},
             {"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}])",
         "ab", "g"},
        {"a name of the model that can't be shown", openai,
         R"({"model":"a\u0007b","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})",
         "a", "asked-model"},
    };
    for (const auto& answer : answers) expect_cut_anywhere(answer);
}

namespace {
struct End {
    const char* name;
    Protocol protocol;
    std::string text;
    std::string error;       ///< without a check
    std::string check_error; ///< as a connectivity check
    net::HttpFailure failure = net::HttpFailure::none;
};

std::string chunk(const std::string& choice) { return "data: {\"choices\":[" + choice + "]}\n\n"; }
} // namespace
BOOST_AUTO_TEST_CASE(every_end_is_told_for_what_it_is) {
    using enum Protocol;
    using enum net::HttpFailure;
    const std::string wrong = "not_this_protocol";
    const std::string a = chunk(R"({"delta":{"content":"a"}})");
    const std::string stop = chunk(R"({"delta":{},"finish_reason":"stop"})");
    const std::string filter = chunk(R"({"delta":{},"finish_reason":"content_filter"})");
    const std::string start = events({R"({"type":"message_start","message":{"model":"m"}})"});
    const std::vector<End> ends{
        {"cut by the network", openai, a, "cut_off", "", cut_off},
        {"ended in good order, but nothing says whole", openai, a, "cut_off", ""},
        {"cut before any text", openai, chunk(R"({"delta":{"role":"assistant"}})"), "cut_off",
         "cut_off"},
        {"nothing at all", openai, "", wrong, wrong},
        {"half a JSON", openai, R"({"choices":[{"mess)", wrong, wrong},
        {"cut after the finish reason", openai, a + stop, "", "", cut_off},
        {"timed out", openai, a, "timed_out", "", timed_out},
        {"no text, all tokens used", openai,
         chunk(R"({"delta":{"reasoning":"hm"},"finish_reason":"length"})"), "empty", ""},
        {"filtered", openai, filter, "policy", "policy"},
        {"only [DONE]", openai, events({"[DONE]"}), wrong, wrong},
        {"a web page", openai, " <!DOCTYPE html><html>", wrong, wrong},
        {"other JSON", openai, R"({"hello":"world"})", wrong, wrong},
        {"half a JSON, cut", openai, R"({"choices":[{"mess)", "cut_off", "cut_off", cut_off},
        {"a broken event", openai, a + events({R"({"choices":[{])"}), wrong, ""},
        {"another protocol's events", anthropic, a + stop, wrong, wrong},
        {"Anthropic cut", anthropic, start, "cut_off", "cut_off"},
        {"Gemini cut", gemini, events({R"({"candidates":[{"content":{"parts":[{"text":"a"}]}}]})"}),
         "cut_off", ""},
        {"Anthropic stop without a reason", anthropic,
         start + events({R"({"type":"message_stop"})"}), "empty", "empty"},
        {"Anthropic refusal", anthropic,
         start + events({R"({"type":"message_delta","delta":{"stop_reason":"refusal"}})"}),
         "policy", "policy"},
        {"Gemini prompt blocked", gemini,
         events({R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{}})"}), "policy",
         "policy"},
        {"Gemini answer blocked", gemini, R"({"candidates":[{"finishReason":"RECITATION"}]})",
         "policy", "policy"},
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

BOOST_AUTO_TEST_CASE(thoughts_nobody_asked_for_are_dropped_and_those_asked_for_bounded) {
    const std::string stream = chunk(R"({"delta":{"reasoning":"hmmmmmmm"}})") +
                               chunk(R"({"delta":{"content":"a"},"finish_reason":"stop"})");
    auto request = asking();
    const Answered short_of_room{.limit = 8};
    BOOST_TEST(hear(short_of_room, {stream}, request).reply.content == "a");
    request.reasoning = true;
    BOOST_TEST(hear(short_of_room, {stream}, request).reason() == "too_large");
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
    const std::string token = chunk(R"({"delta":{"content":"0123456789"}})");
    const std::string numbers = R"({"x":[0)" + repeated(",0", 1'000'000) + "]}";
    const std::tuple<const char*, std::size_t, std::string, std::string> table[] = {
        {"tokens", 25, token + token + token, "too_large"},
        {"as much text as is allowed, all of it escaped", limit,
         whole(repeated("\\n", limit - 100)), ""},
        {"a whole answer with more around it", limit, whole("a") + std::string(limit, ' '),
         "too_large"},
        {"a whole answer whose tree is large", limit,
         R"({"x":[0)" + repeated(",0", limit - 100) + "]}", "too_large"},
        {"an event without end", limit, token + "data: " + std::string(2 << 20U, 'x'), "too_large"},
        {"an event whose tree is large", limit, events({numbers}), "too_large"},
        {"white space first", limit, std::string(65'000, '\n') + whole("a"), ""},
        {"white space without end", limit, std::string(66'000, ' ') + whole("a"),
         "not_this_protocol"},
    };
    for (const auto& [name, most, text, reason] : table)
        for (const std::size_t size : {std::size_t{1}, std::size_t{16'000}}) {
            std::vector<std::string_view> pieces;
            for (std::string_view rest = text; !rest.empty();
                 rest.remove_prefix(pieces.back().size()))
                pieces.push_back(rest.substr(0, size));
            BOOST_TEST(hear({.limit = most}, pieces).reason() == reason,
                       name << " in pieces of " << size);
        }
}

BOOST_AUTO_TEST_CASE(the_last_word_ends_the_reading) {
    const auto heard = hear({}, {chunk(R"({"delta":{"content":"a"},"finish_reason":"stop"})"),
                                 "data: [DONE]\n\n", chunk(R"({"delta":{"content":"never"}})")});
    BOOST_TEST(heard.stopped);
    BOOST_TEST(heard.reply.content == "a");
}
BOOST_AUTO_TEST_SUITE_END()
