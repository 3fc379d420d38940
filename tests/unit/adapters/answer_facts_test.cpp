// What an answer tells besides its text: why it ended, how many tokens it took, what the model
// thought aloud. Shapes as in OpenAI "Chat streaming", Anthropic "Streaming messages" and "Extended
// thinking", Google AI "GenerateContentResponse" and "Thinking", Groq "Text chat" (x_groq), xAI
// "Reasoning" (counted beside the output), OpenRouter "Reasoning tokens", DeepSeek "Thinking mode",
// Mistral "Reasoning", Perplexity "Chat completions".
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;

namespace {

std::string number(std::optional<std::uint64_t> count) {
    return count ? std::to_string(*count) : "-";
}

/// "thoughts|text|finish in/out/reasoning"
std::string facts(Protocol protocol, const std::vector<std::string>& events) {
    std::string stream;
    for (const auto& event : events) stream += "data: " + event + "\n\n";
    auto request = asking();
    request.reasoning = true;
    const auto heard = hear({.protocol = protocol}, {stream}, request);
    const auto& usage = heard.reply.usage;
    return heard.reasoning + "|" + heard.reply.content + "|" +
           std::string{name_of(heard.reply.finish_reason)} + " " + number(usage.input) + "/" +
           number(usage.output) + "/" + number(usage.reasoning);
}

std::string delta(const std::string& members) {
    return R"({"choices":[{"delta":{)" + members + R"(},"finish_reason":null}]})";
}
std::string end(const std::string& reason) {
    return R"({"choices":[{"delta":{},"finish_reason":")" + reason + R"("}]})";
}
const std::string a = delta(R"("content":"a")");

} // namespace

BOOST_AUTO_TEST_SUITE(answer_facts)

BOOST_AUTO_TEST_CASE(what_an_answer_tells_besides_its_text) {
    using enum Protocol;
    const struct {
        Protocol protocol;
        std::vector<std::string> events;
        std::string facts;
    } table[] = {
        {openai, {a, end("stop")}, "|a|stop -/-/-"},
        {openai, {a, end("length")}, "|a|length -/-/-"},
        {openai, {a, end("content_filter")}, "|a|filter -/-/-"},
        {openai, {a, end("tool_calls")}, "|a|tool -/-/-"},
        {openai, {a, delta(R"("tool_calls":[{"index":0}])"), end("stop")}, "|a|tool -/-/-"},
        {openai,
         {a, end("stop"),
          R"({"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":9,)"
          R"("total_tokens":12,"completion_tokens_details":{"reasoning_tokens":4}}})",
          "[DONE]"},
         "|a|stop 3/9/4"},
        {openai,
         {a, R"({"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,)"
             R"("completion_tokens":9,"total_tokens":16,)"
             R"("completion_tokens_details":{"reasoning_tokens":4}}})"},
         "|a|stop 3/13/4"},
        {openai,
         {a, R"({"choices":[{"delta":{},"finish_reason":"stop"}],)"
             R"("x_groq":{"usage":{"prompt_tokens":3,"completion_tokens":9}}})"},
         "|a|stop 3/9/-"},
        {openai,
         {R"({"usage":{"prompt_tokens":3,"completion_tokens":1},"choices":[{"delta":{"content":"a"}}]})",
          R"({"usage":{"prompt_tokens":3,"completion_tokens":2},)"
          R"("choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]})"},
         "|ab|stop 3/2/-"},
        {openai,
         {R"({"usage":{"prompt_tokens":-3,"completion_tokens":"9"},"choices":[]})", a, end("stop")},
         "|a|stop -/-/-"},
        {openai,
         {delta(R"("reasoning_content":"hm","content":null)"), a, end("stop")},
         "hm|a|stop -/-/-"},
        {openai,
         {delta(
              R"("content":"","reasoning":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}])"),
          a, end("stop")},
         "hm|a|stop -/-/-"},
        {openai,
         {delta(
              R"("reasoning_details":[{"type":"reasoning.text","text":"hm"},{"type":"reasoning.encrypted","data":"x"}])"),
          a, end("stop")},
         "hm|a|stop -/-/-"},
        {openai,
         {delta(R"("content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]}])"),
          delta(R"("content":[{"type":"text","text":"a"}])"), end("stop")},
         "hm|a|stop -/-/-"},
        {anthropic,
         {(R"({"type":"message_start","message":{"model":"m","usage":{"input_tokens":3,)"
           R"("cache_read_input_tokens":10,"cache_creation_input_tokens":20,"output_tokens":1}}})"),
          R"({"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}})",
          R"({"type":"content_block_delta","delta":{"type":"signature_delta","signature":"x"}})",
          R"({"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}})",
          R"({"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":7}})",
          R"({"type":"message_stop"})"},
         "hm|a|length 33/7/-"},
        {anthropic,
         {R"({"type":"content_block_start","content_block":{"type":"text","text":"a"}})",
          R"({"type":"message_delta","delta":{"stop_reason":"tool_use"}})",
          R"({"type":"message_stop"})"},
         "|a|tool -/-/-"},
        {gemini,
         {R"({"candidates":[{"content":{"parts":[{"text":"hm","thought":true}]}}]})",
          R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}],)"
          R"("usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":5,"thoughtsTokenCount":4}})"},
         "hm|a|stop 3/9/4"},
        {gemini,
         {R"({"candidates":[{"content":{"parts":[{"text":"a"},{"functionCall":{"name":"f"}}]},)"
          R"("finishReason":"STOP"}]})"},
         "|a|tool -/-/-"},
        {gemini,
         {R"({"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"SAFETY"}]})"},
         "|a|filter -/-/-"},
    };
    for (const auto& row : table)
        BOOST_TEST(facts(row.protocol, row.events) == row.facts,
                   row.facts << " is " << facts(row.protocol, row.events));
}

BOOST_AUTO_TEST_CASE(thoughts_nobody_asked_for_are_dropped_and_those_asked_for_bounded) {
    const std::string stream = "data: " + delta(R"("reasoning":"hmmmmmmm")") + "\n\ndata: " + a +
                               "\n\ndata: " + end("stop") + "\n\n";
    auto request = asking();
    const Answered short_of_room{.limit = 8};
    BOOST_TEST(hear(short_of_room, {stream}, request).reply.content == "a");
    request.reasoning = true;
    BOOST_TEST(hear(short_of_room, {stream}, request).reason() == "too_large");
}

BOOST_AUTO_TEST_SUITE_END()
