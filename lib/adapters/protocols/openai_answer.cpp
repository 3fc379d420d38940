#include "adapters/protocols/openai.hpp"

#include "adapters/numbers.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

/// The texts of the parts of one type, which may be nested (Mistral's "thinking").
std::string texts_of(const json::array& parts, std::string_view type) {
    std::string text;
    for (const auto& part : parts) {
        if (text_at(part, "/type") != type) continue;
        const auto* const nested = array_at(part, "/" + std::string{type});
        text += nested ? texts_of(*nested, "text") : std::string{text_at(part, "/text")};
    }
    return text;
}

/// The text of a content, which is a string, or a list of parts; parts with reasoning are not the
/// answer's text.
std::string text_of(const json::value* content) {
    const auto* const parts = content ? content->if_array() : nullptr;
    return parts ? texts_of(*parts, "text") : std::string{content ? text_at(*content, "") : ""};
}

std::string reasoning_in(const json::array& details) {
    std::string text;
    for (const auto& detail : details)
        for (const auto* const pointer : {"/text", "/summary"}) text += text_at(detail, pointer);
    return text;
}

/// The reasoning, in one of the places where providers put it. OpenRouter sends it in two of them.
std::string reasoning_of(const json::value& message) {
    for (const auto* const pointer : {"/reasoning_content", "/reasoning"})
        if (const auto text = text_at(message, pointer); !text.empty()) return std::string{text};
    if (const auto* const parts = array_at(message, "/content"))
        return texts_of(*parts, "thinking");
    const auto* const details = array_at(message, "/reasoning_details");
    return details ? reasoning_in(*details) : std::string{};
}

/// xAI counts the reasoning's tokens besides the output's, others among them; the total shows
/// which.
Usage usage_of(const json::value& usage) {
    Usage read{count_at(usage, "/prompt_tokens"), count_at(usage, "/completion_tokens"),
               count_at(usage, "/completion_tokens_details/reasoning_tokens")};
    const bool beside =
        read.input && read.output && read.reasoning &&
        count_at(usage, "/total_tokens") == *read.input + *read.output + *read.reasoning;
    if (beside) read.output = sum_of(*read.output, *read.reasoning);
    return read;
}

void read_usage(const json::value& value, Answer& answer) {
    for (const auto* const pointer : {"/usage", "/x_groq/usage", "/choices/0/usage"})
        if (const auto* const usage = find_value(value, pointer); usage && usage->is_object())
            answer.usage = usage_of(*usage);
}

void read_message(const json::value& message, Answer& answer) {
    const auto text = text_of(find_value(message, "/content"));
    answer.text += text.empty() ? std::string{text_at(message, "/refusal")} : text;
    if (answer.wants_reasoning) answer.reasoning += reasoning_of(message);
    // vLLM and LM Studio always send the list.
    const auto* const tools = array_at(message, "/tool_calls");
    answer.asks_for_tool = answer.asks_for_tool || (tools && !tools->empty());
}

/// Perplexity's chunks have the new text in `delta` and all that has come so far in `message`. The
/// text of a choice that failed is that of an error.
void read_choice(const json::value& choice, Answer& answer) {
    answer.end(text_at(choice, "/finish_reason"), choice);
    if (answer.failure) return;
    const auto* const delta = find_value(choice, "/delta");
    const auto* const message = find_value(choice, "/message");
    if (delta && delta->is_object())
        read_message(*delta, answer);
    else if (message)
        read_message(*message, answer);
}

/// The first of several choices, which come in one chunk or in turns. Old servers count tokens in
/// `index`, from 1 on; then no choice has index 0.
const json::value* first_choice(const json::array& choices, Answer& answer) {
    const auto is_first = [](const json::value& choice) {
        return count_at(choice, "/index").value_or(0) == 0;
    };
    const auto* const first = std::ranges::find_if(choices, is_first);
    if (first != choices.end()) {
        answer.has_first_choice = true;
        return first;
    }
    return answer.has_first_choice ? nullptr : &choices.front();
}

void read(const json::value& value, Answer& answer) {
    if (is_provider_error(value)) {
        answer.fail(value);
        return;
    }
    const auto* const choices = array_at(value, "/choices");
    if (!choices && tells_failure(value)) answer.fail(value);
    if (!choices) return; // a keep-alive object
    answer.recognised = true;
    read_usage(value, answer);
    if (answer.model.empty()) answer.model = text_at(value, "/model");
    if (choices->empty()) return; // usage alone
    const auto* const chosen = first_choice(*choices, answer);
    if (!chosen) return;
    const auto& choice = *chosen;
    if (is_provider_error(choice))
        answer.fail(choice);
    else
        read_choice(choice, answer);
}

} // namespace

void OpenAiAdapter::read_event(const json::value& event, Answer& answer) const {
    read(event, answer);
}

void OpenAiAdapter::read_whole(const json::value& value, Answer& answer) const {
    read(value, answer);
    answer.complete();
}

} // namespace usershell::adapters
