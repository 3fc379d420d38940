// The tokens and the model of each protocol's answers, however the bytes are cut, and every end
// named for what it is. Whole answers and streams of providers: answers_test.cpp.
#include "adapters/reading/chat_reader.hpp"
#include "tests/unit/adapters/support.hpp"
#include "tests/unit/web/refusal_check.hpp"
using namespace usershell::adapters;
namespace {
struct Recorded {
    const char* name;
    Protocol protocol;
    std::string text, tokens, model; ///< tokens with a bar between two
};
std::string events(std::initializer_list<std::string_view> texts, const std::string& end = "\n") {
    std::string stream;
    for (const auto text : texts) stream.append("data: ").append(text).append(end + end);
    return stream;
}
std::string said(const std::string& text, const std::string& finish = "null") {
    return R"({"id":"c","model":"m","choices":[{"index":0,"delta":{"content":")" + text +
           R"("},"finish_reason":)" + finish + "}]}";
}
const std::string stop = R"("stop")";
std::string joined(const std::vector<std::string>& tokens) {
    std::string text;
    for (const auto& token : tokens) text += (&token == &tokens.front() ? "" : "|") + token;
    return text;
}
std::string chunk(const std::string& choice) { return "data: {\"choices\":[" + choice + "]}\n\n"; }

BOOST_AUTO_TEST_CASE(an_answer_cut_at_any_byte_gives_the_same_tokens) {
    using enum Protocol;
    const Recorded answers[] = {
        {"OpenAI, with usage", openai,
         events(
             {R"({"model":"m","choices":[{"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null}]})",
              said("Grüß"), said(R"( dich \u20ac\n)"), said("😀"),
              R"({"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]})",
              R"({"model":"m","choices":[],"usage":{"total_tokens":9}})", "[DONE]"}),
         "Grüß| dich €\n|😀", "m"},
        {"comments, reasoning, CRLF, a null error", openai,
         ": OPENROUTER PROCESSING\r\n\r\n: OPENROUTER PROCESSING\r\n\r\n" +
             events(
                 {R"({"model":"m","error":null,"choices":[{"delta":{"content":"","reasoning":"Let me think"}}]})",
                  R"({"model":"m","choices":[{"delta":{"content":null,"reasoning_content":"more"}}]})",
                  R"({"type":"keepalive"})", said("pong", stop), "[DONE]"},
                 "\r\n"),
         "pong", "m"},
        {"no [DONE], lone CR, no last blank line", openai,
         events({said("a")}, "\r") + "data:" + said("b", R"("length")") + "\r", "a|b", "m"},
        {"[DONE] without a finish reason", openai,
         events({R"({"model":"","choices":[{"delta":{"content":"a"}}]})", "[DONE]"}), "a",
         "asked-model"},
        {"halves of a surrogate pair in two events", openai,
         events({said(R"(x\ud83d)"), said(R"(\ude00y)", stop), "[DONE]"}), "x|😀y", "m"},
        {"bytes of a character in two events", openai,
         events({said("\xe2\x82"), said("\xac", stop)}), "€", "m"},
        {"Azure: filter results first", azure_openai,
         events(
             {R"({"choices":[],"model":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{}}]})",
              said("Hi"),
              R"({"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop"}],"model":"m"})"}),
         "Hi", "m"},
        {"Anthropic", anthropic,
         events(
             {R"({"type":"message_start","message":{"id":"msg_1","model":"claude-x","content":[],"stop_reason":null}})",
              R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"Grüß"}})",
              R"({"type":"content_block_delta","delta":{"type":"text_delta","text":" dich 😀"}})",
              R"({"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}})",
              R"({"type":"an_event_of_the_future","x":1})", R"({"type":"message_stop"})"}),
         "Grüß| dich 😀", "claude-x"},
        {"Gemini", gemini,
         events(
             {R"({"candidates":[{"content":{"parts":[{"text":"Grüß"}],"role":"model"},"index":0}],"modelVersion":"gemini-x"})",
              R"({"candidates":[{"content":{"parts":[{"text":" dich"},{"text":" 😀"}]}}],"modelVersion":"gemini-x"})",
              R"({"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"AY8="}]},"finishReason":"STOP"}],"modelVersion":"gemini-x"})",
              R"({"usageMetadata":{"totalTokenCount":10},"modelVersion":"gemini-x"})"},
             "\r\n"),
         "Grüß| dich 😀", "gemini-x"},
        {"whole: OpenAI", openai,
         R"({"object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Grüß 😀","refusal":null},"finish_reason":"stop"}],"usage":{"total_tokens":3}})",
         "Grüß 😀", "m"},
        {"whole: a model that declines", openai,
         R"({"model":"m","choices":[{"message":{"content":null,"refusal":"I can't."},"finish_reason":"stop"}]})",
         "I can't.", "m"},
        {"whole: Anthropic", anthropic,
         R"({"type":"message","model":"claude-x","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"a"},{"type":"text","text":"b"}],"stop_reason":"end_turn"})",
         "ab", "claude-x"},
        {"whole: Gemini", gemini,
         R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true},{"text":"a"}]},"finishReason":"STOP"}],"modelVersion":"g"})",
         "a", "g"},
        {"whole: Gemini, an array", gemini,
         R"([{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"modelVersion":"g"}, {"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"}]}])",
         "ab", "g"},
        {"whole: a name of the model that can't be shown", openai,
         R"({"model":"a\u0007b","choices":[{"message":{"content":"a"},"finish_reason":"stop"}]})",
         "a", "asked-model"},
    };
    for (const auto& [name, protocol, text, tokens, model] : answers)
        for (std::size_t cut = 0; cut <= text.size(); ++cut) {
            const std::string_view all = text;
            const auto heard = hear({.protocol = protocol}, {all.substr(0, cut), all.substr(cut)});
            BOOST_TEST_CONTEXT(name << " cut at " << cut) {
                BOOST_TEST(heard.reason() == "");
                BOOST_TEST(joined(heard.tokens) == tokens);
                BOOST_TEST(heard.reply.model == model);
            }
        }
}

BOOST_AUTO_TEST_CASE(every_end_is_told_for_what_it_is) {
    using enum Protocol;
    using enum net::HttpFailure;
    struct End {
        const char* name;
        Protocol protocol;
        std::string text, error, check_error; ///< without a check, and as a connectivity check
        net::HttpFailure failure = net::HttpFailure::none;
    };
    const std::string wrong = "not_this_protocol";
    const std::string a = chunk(R"({"delta":{"content":"a"}})");
    const std::string ended = chunk(R"({"delta":{},"finish_reason":"stop"})");
    const std::string filter = chunk(R"({"delta":{},"finish_reason":"content_filter"})");
    const std::string start = events({R"({"type":"message_start","message":{"model":"m"}})"});
    const std::vector<End> ends{
        {"cut by the network", openai, a, "cut_off", "cut_off", cut_off},
        {"ended in good order, but nothing says whole", openai, a, "cut_off", "cut_off"},
        {"an empty finish reason", openai, a + chunk(R"({"delta":{},"finish_reason":""})"),
         "cut_off", "cut_off"},
        {"\"null\" for a finish reason", openai,
         a + chunk(R"({"delta":{},"finish_reason":"null"})"), "cut_off", "cut_off"},
        {"a failure for a finish reason", openai,
         a + chunk(R"({"delta":{},"finish_reason":"internal_error"})"), "overloaded", "overloaded"},
        {"Gemini's failure for a finish reason", gemini,
         R"({"candidates":[{"finishReason":"ERROR"}]})", "overloaded", "overloaded"},
        {"Anthropic's failure for a stop reason", anthropic,
         R"({"type":"message","content":[],"stop_reason":"timeout"})", "overloaded", "overloaded"},
        {"cut before any text", openai, chunk(R"({"delta":{"role":"assistant"}})"), "cut_off",
         "cut_off"},
        {"nothing at all", openai, "", "cut_off", "cut_off"},
        {"half a JSON", openai, R"({"choices":[{"mess)", "cut_off", "cut_off"},
        {"cut after the finish reason", openai, a + ended, "", "", cut_off},
        {"timed out", openai, a, "timed_out", "timed_out", timed_out},
        {"no text, all tokens used", openai,
         chunk(R"({"delta":{"reasoning":"hm"},"finish_reason":"length"})"), "empty", ""},
        {"filtered", openai, filter, "policy", "policy"},
        {"only [DONE]", openai, events({"[DONE]"}), wrong, wrong},
        {"a web page", openai, " <!DOCTYPE html><html>", wrong, wrong},
        {"other JSON", openai, R"({"hello":"world"})", wrong, wrong},
        {"half a JSON, cut", openai, R"({"choices":[{"mess)", "cut_off", "cut_off", cut_off},
        {"a broken event", openai, a + events({R"({"choices":[{])"}) + ended, "cut_off", "cut_off"},
        {"a broken event before the answer", openai, events({R"({"choices":[{])"}) + a + ended, "",
         ""},
        {"another protocol's events", anthropic, a + ended, wrong, wrong},
        {"Anthropic cut", anthropic, start, "cut_off", "cut_off"},
        {"Gemini cut", gemini, events({R"({"candidates":[{"content":{"parts":[{"text":"a"}]}}]})"}),
         "cut_off", "cut_off"},
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

BOOST_AUTO_TEST_CASE(an_answer_is_bounded_whatever_its_form) {
    const std::size_t limit = std::size_t{4} << 20U;
    const auto whole = [](const std::string& content) {
        return R"({"choices":[{"message":{"content":")" + content +
               R"("},"finish_reason":"stop"}]})";
    };
    const std::string token = chunk(R"({"delta":{"content":"0123456789"}})");
    const std::string numbers = R"({"x":[0)" + repeated(",0", 500'000) + "]}";
    const std::tuple<const char*, std::size_t, std::string, std::string> table[] = {
        {"tokens", 25, token + token + token, "too_large"},
        {"as much text as is allowed, all of it escaped", limit,
         whole(repeated("\\n", limit / 2 - 50)), ""},
        {"a whole answer with more around it", limit, whole("a") + std::string(limit, ' '),
         "too_large"},
        {"a whole answer whose tree is large", limit,
         R"({"x":[0)" + repeated(",0", limit / 2 - 50) + "]}", "too_large"},
        {"an event without end", limit, token + "data: " + std::string(9 << 20U, 'x'), "too_large"},
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

// As OpenRouter and Gemini send pictures. Nothing of them is shown, and the text goes on.
BOOST_AUTO_TEST_CASE(a_large_event_is_read_without_its_files) {
    const auto with_picture = [](const std::string& bytes) {
        return chunk(R"({"delta":{"content":"b","images":[{"image_url":{"url":"data:image\/png;)"
                     "base64," +
                     bytes + R"("}}]}})");
    };
    const std::string most(7 << 20U, 'A');
    const std::string words = repeated("word ", 300'000);
    const std::string signs = repeated("\xe8\xaf\x8d", 500'000);
    const std::pair<std::string, std::string> table[] = {
        {with_picture(std::string(1'400'000, 'A')), "abc"},
        {with_picture(most), "abc"},
        {with_picture(repeated("+/", 700'000)) + with_picture(repeated("\\/", 700'000)), "abbc"},
        {chunk(R"({"delta":{"content":")" + words + R"("}})"), "too_large"},
        {chunk(R"({"delta":{"content":")" + signs + R"("}})"), "too_large"},
        {with_picture(most + std::string(2 << 20U, 'A')), "too_large"},
    };
    const std::string first = chunk(R"({"delta":{"content":"a"}})");
    const std::string last = chunk(R"({"delta":{"content":"c"},"finish_reason":"stop"})");
    for (const auto& [event, text] : table) {
        const auto heard = hear({}, {first, event, last});
        BOOST_TEST((heard.reason().empty() ? heard.reply.content : heard.reason()) == text);
    }
    const std::string gemini =
        "data: " +
        std::string{R"({"candidates":[{"content":{"parts":[{"text":"a"},{"inlineData":)"} +
        R"({"mimeType":"image/png","data":")" + most + R"("}}]},"finishReason":"STOP"}]})" + "\n\n";
    BOOST_TEST(hear({.protocol = Protocol::gemini}, {gemini}).reply.content == "a");
}

BOOST_AUTO_TEST_CASE(an_unknown_finish_reason_is_shown_as_it_is) {
    for (const std::string word : {"eos", "STOP", "completed"})
        BOOST_TEST(hear({}, {chunk(R"({"delta":{"content":"a"},"finish_reason":")" + word + "\"}")})
                       .reply.finish_word == "");
    for (const std::string word : {"Repetition", "stop|end"}) {
        const auto heard =
            hear({}, {chunk(R"({"delta":{"content":"a"},"finish_reason":")" + word + "\"}")});
        BOOST_TEST(heard.reply.finish_word == word);
        BOOST_TEST(name_of(heard.reply.finish_reason) == "");
    }
}

BOOST_AUTO_TEST_CASE(the_last_word_ends_the_reading) {
    const auto heard = hear({}, {chunk(R"({"delta":{"content":"a"},"finish_reason":"stop"})"),
                                 "data: [DONE]\n\n", chunk(R"({"delta":{"content":"never"}})")});
    BOOST_TEST(heard.stopped);
    BOOST_TEST(heard.reply.content == "a");
    BOOST_TEST(hear({}, {"data:  " + said("a", stop) + "\n\ndata:  [DONE]\n\n"}).stopped);
}
} // namespace

BOOST_AUTO_TEST_CASE(an_answer_of_each_protocol_has_a_last_word) {
    using enum Protocol;
    const auto event = [](const std::string& data) { return "data: " + data + "\n\n"; };
    const std::tuple<Protocol, std::string, std::string> table[] = {
        {openai, event(said("a")), event(said("", stop))},
        {azure_openai, event(said("a")), event(said("", R"("content_filter")"))},
        {gemini, event(R"({"candidates":[{"content":{"parts":[{"text":"a"}]}}]})"),
         event(R"({"candidates":[{"content":{"parts":[{"text":""}]},"finishReason":"STOP"}]})")},
        {anthropic,
         event(R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}})"),
         event(R"({"type":"message_delta","delta":{"stop_reason":"end_turn"}})")},
    };
    for (const auto& [protocol, first, last] : table) {
        BOOST_TEST(!hear({.protocol = protocol}, {first}).last_word, first);
        BOOST_TEST(hear({.protocol = protocol}, {first, last}).last_word, last);
    }
}

BOOST_AUTO_TEST_CASE(what_says_success_fails_no_answer) {
    const std::string answer = events({said("a"), said("b", stop)});
    for (const std::string member :
         {R"("code":20000,"message":"success")", R"("code":"0000")", R"("code":201)",
          R"("code":"200 OK")", R"("status":"succeeded")", R"("error":{})", R"("error":null)",
          R"("error":{"message":"","code":null})", R"("errors":[])", R"("success":true)"}) {
        const std::string alone = events({"{" + member + "}"});
        BOOST_TEST(hear({}, {alone + answer}).reply.content == "ab", member);
        BOOST_TEST(hear({}, {answer + alone}).reply.content == "ab", member);
        const auto whole = R"({"model":"m","choices":[{"message":{"content":"ab"},)"
                           R"("finish_reason":"stop"}],)" +
                           member + "}";
        BOOST_TEST(hear({}, {whole}).reply.content == "ab", whole);
    }
}

// Beside pieces of an answer, and though "[DONE]" follows.
BOOST_AUTO_TEST_CASE(an_error_in_any_spelling_ends_an_answer) {
    const std::pair<std::string, std::string> table[] = {
        {events({R"({"choices":[],"code":401,"msg":"invalid api key"})"}), "key_refused"},
        {events({R"({"message":"invalid worker"})"}), "overloaded"},
        {events({R"({"status":"500"})"}), "overloaded"},
        {events({R"({"errcode":401,"errmsg":"no"})"}), "key_refused"},
        {events({R"({"resultCode":"429","resultMsg":"slow down"})"}), "rate_limited"},
        {events({R"([{"error":{"message":"no","code":503}}])"}), "overloaded"},
        {events({R"({"data":{"error":{"message":"no"}}})"}), "overloaded"},
        {"{\"error\":{\"message\":\"invalid api key\"}}\n\n", "key_refused"},
        {"event: Error\ndata: {\"code\":\"x\"}\n\n", "overloaded"},
        {"event: exception\ndata: no\n\n", "overloaded"},
        {"event: error\n\n", "overloaded"},
        {events({"Error: rate limit reached"}), "rate_limited"},
    };
    const std::string first = events({said("a")});
    for (const auto& [event, reason] : table)
        for (const std::string end : {"", "data: [DONE]\n\n"}) {
            BOOST_TEST(hear({}, {first + event + end}).reason() == reason, event << end);
            if (event.starts_with('{')) continue; // alone it is no stream
            BOOST_TEST(hear({}, {event + end}).reason() == reason, event << end);
        }
}
