// The tokens and the model of each protocol's answers, however the bytes are cut, and every end
// named for what it is. Characters cut in two become whole again.
// Error bodies and streams as providers document them are in answers.json: one row a class of
// input. An error: provider, outcome, its words that are shown, HTTP status, body, header fields.
// A stream: provider, type, its result, its events. The result is text, reasoning, finish reason
// and tokens (in, out, reasoning), or "outcome: words". An event in quotes is sent as it is.
// A list (requests_test.cpp): name, type, models (id|name|capabilities), next page, answer.
// A search (there): type, request line, header of the key, body, the lines shown of that answer.
// A script (provider_error_test.cpp): type, status, body, how it comes.
#include "adapters/reading/chat_reader.hpp"
#include "adapters/reading/json.hpp"
#include "adapters/reading/token_joiner.hpp"
#include "tests/unit/adapters/support.hpp"
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

/// All that follows from a failure; see outcome().
std::string followed_by(std::string_view name, std::string_view said) {
    const std::string words = said.empty() ? "" : " It said: " + std::string{said};
    return text_of(answers("outcomes").at(name)) + words;
}
UpstreamError understood(const json::value& row) {
    net::HttpHead head;
    head.status = static_cast<int>(row.at(3).as_int64());
    head.content_type = "application/json";
    if (const auto* const fields = find_value(row, "/5"))
        for (const auto& [name, value] : fields->as_object())
            head.fields.emplace(name, text_of(value));
    return understand(read_provider_error(head, text_of(row.at(4)), false), no_key);
}
std::string expected(const json::value& result) {
    if (!result.is_string()) return text_of(result);
    const std::string line = text_of(result);
    const auto colon = line.find(": ");
    return followed_by(line.substr(0, colon),
                       colon == std::string::npos ? "" : line.substr(colon + 2));
}
std::string shown(const Heard& heard) {
    if (heard.error) return outcome(*heard.error);
    const auto& [content, model, finish_reason, finish_word, usage] = heard.reply;
    const auto number = [](auto count) { return count ? json::value(*count) : json::value{}; };
    return json::serialize(json::array{content, heard.reasoning, name_of(finish_reason),
                                       number(usage.input), number(usage.output),
                                       number(usage.reasoning)});
}

BOOST_AUTO_TEST_CASE(an_error_has_the_outcome_of_its_cause) {
    for (const auto& row : answers("errors").as_array())
        BOOST_TEST(outcome(understood(row)) == followed_by(text_of(row.at(1)), text_of(row.at(2))),
                   text_of(row));
}

BOOST_AUTO_TEST_CASE(a_stream_is_read_alike_whole_and_in_pieces) {
    auto request = asking();
    request.reasoning = true;
    for (const auto& row : answers("streams").as_array()) {
        std::string stream;
        for (std::size_t i = 3; i < row.as_array().size(); ++i)
            stream += (row.at(i).is_string() ? "" : "data: ") + text_of(row.at(i)) + "\n\n";
        const Answered how{.protocol = find_provider_type(text_of(row.at(1)))->protocol};
        BOOST_TEST(shown(hear(how, {stream}, request)) == expected(row.at(2)), stream);
        BOOST_TEST(shown(hear(how, byte_by_byte(stream), request)) == expected(row.at(2)), stream);
    }
}

std::string join(const std::vector<std::string>& pieces) {
    TokenJoiner joiner;
    std::string all;
    for (const auto& piece : pieces) {
        const auto text = joiner.join(piece);
        BOOST_TEST(is_utf8(text));
        all += text;
    }
    const auto rest = joiner.flush();
    BOOST_TEST(is_utf8(rest));
    return all + rest;
}
const std::string face = "\xf0\x9f\x98\x80"; // U+1F600: D83D DE00
const std::string high = "\xed\xa0\xbd";
const std::string low = "\xed\xb8\x80";
const std::string bad = "\xef\xbf\xbd";

BOOST_AUTO_TEST_CASE(text_cut_anywhere_comes_out_as_it_was) {
    const std::string text = "a\xc3\xa9\xe2\x82\xac" + face + "z";
    for (std::size_t one = 0; one <= text.size(); ++one)
        for (std::size_t two = one; two <= text.size(); ++two)
            BOOST_TEST(join({text.substr(0, one), text.substr(one, two - one), text.substr(two)}) ==
                       text);
    const std::string halves = "a" + high + low + "b";
    for (std::size_t cut = 0; cut <= halves.size(); ++cut)
        BOOST_TEST(join({halves.substr(0, cut), halves.substr(cut)}) == "a" + face + "b");
}

BOOST_AUTO_TEST_CASE(what_cannot_become_a_character_is_replaced) {
    BOOST_TEST(join({high + "a"}) == bad + "a");
    BOOST_TEST(join({low + "a"}) == bad + "a");
    BOOST_TEST(join({high}) == bad);
    BOOST_TEST(join({high, high + low}) == bad + face);
    BOOST_TEST(join({"\xff"
                     "a\x80"}) == bad + "a" + bad);
    BOOST_TEST(join({"\xe2\x82", "a"}) == bad + "a");
    BOOST_TEST(join({"a\xe2\x82"}) == "a" + bad);
    BOOST_TEST(join({high + "\xed", "a"}) == bad + bad + "a");
    const std::string cut = join({high + "\xed\xa0", "a"}); // libunistring 1.3 replaces each byte
    BOOST_TEST((cut == bad + bad + "a" || cut == bad + bad + bad + "a"), cut);
    BOOST_TEST(join({"\xc0\xaf"}) == bad + bad);
    BOOST_TEST(join({"", ""}).empty());
}

BOOST_AUTO_TEST_CASE(what_is_replaced_does_not_depend_on_pieces) {
    const std::string text = "h\xe9\xa0\xe2\x82\xf7\x87\x9f\x9av\xf0\x9f\xed\xa0\xf8\x88\xed";
    for (std::size_t cut = 0; cut <= text.size(); ++cut)
        BOOST_TEST(join({text.substr(0, cut), text.substr(cut)}) == join({text}));
}

BOOST_AUTO_TEST_CASE(nothing_is_held_back_without_need) {
    TokenJoiner joiner;
    BOOST_TEST(joiner.join("plain") == "plain");
    BOOST_TEST(joiner.join("\xe2\x82") == "");
    BOOST_TEST(joiner.join("\xac") == "\xe2\x82\xac");
    BOOST_TEST(joiner.join("x") == "x");
    BOOST_TEST(joiner.flush() == "");
}

BOOST_AUTO_TEST_CASE(json_hands_halves_on) {
    const auto text = [](std::string_view document) {
        return std::string{text_at(parsed(document), "/t")};
    };
    BOOST_TEST(text(R"({"t":"\ud83d\ude00"})") == face);
    BOOST_TEST(text(R"({"t":"a\ud83d"})") == "a" + high);
    BOOST_TEST(text(R"({"t":"\uDE00b"})") == low + "b");
    BOOST_TEST(text(R"({"t":"\ud83d\ud83d\ude00"})") == high + face);
    BOOST_TEST(text(R"({"t":"\\ud83d \ud83d"})") == "\\ud83d " + high);
    BOOST_TEST(text(R"({"t":"\ud83d\n"})") == high + "\n");
    BOOST_TEST(text("{\"t\":\"\xe2\x82\"}") == "\xe2\x82");
    BOOST_TEST(text("\xef\xbb\xbf{\"t\":\"a\"}") == "a");
    for (const char* broken : {"", "{", R"({"t":"\ud83d)", R"({"t":"\ud8")", "{} x"})
        BOOST_TEST(!parse_json(broken, {}).value.has_value(), broken);
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
        {events({R"({"choices":[],"message":"invalid api key"})"}), "key_refused"},
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
