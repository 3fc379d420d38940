#include "adapters/reading/endings.hpp"

#include "adapters/numbers.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

struct ReasonWords {
    FinishReason reason;
    std::string_view name;  ///< the contract's
    std::string_view words; ///< the providers', each between two bars
};

constexpr auto reason_words = [] {
    using enum FinishReason;
    return std::to_array<ReasonWords>({
        {none, "",
         "||null|none|undefined|unspecified|finish_reason_unspecified|in_progress|queued|"},
        {stop, "stop",
         "|stop|end|eos|eos_token|end_turn|pause_turn|stop_sequence|complete|completed|done|"
         "finished|"},
        {length, "length",
         "|length|max_tokens|max_output_tokens|model_length|model_context_window_exceeded|"
         "incomplete|error_limit|"},
        {filter, "filter",
         "|content_filter|safety|sensitive|refusal|recitation|blocklist|spii|image_safety|"
         "prohibited_content|error_toxic|"},
        {tool, "tool",
         "|tool|tool_call|tool_calls|tool_use|function_call|malformed_function_call|"
         "unexpected_tool_call|"},
        {failed, "", "|insufficient_system_resource|oom|"},
        {other, "", ""},
    });
}();

/// In the words of failures, which every server makes for itself.
constexpr auto failing = std::to_array<std::string_view>(
    {"error",  "fail",     "abort",     "timeout",     "timedout",   "deadline", "cancel",
     "crash",  "expired",  "exception", "interrupt",   "disconnect", "closed",   "terminat",
     "broken", "preempt",  "overload",  "unavailable", "busy",       "killed",   "reject",
     "quota",  "outofmem", "internal",  "ratelimit",   "malformed"});
/// In the words of the two limits that an answer may meet; both count after the table's words.
constexpr auto filtering =
    std::to_array<std::string_view>({"filter", "recitation", "guardrail", "moderat", "safety"});
constexpr auto measured = std::to_array<std::string_view>(
    {"maxtoken", "maxnewtoken", "maxlength", "maxoutput", "tokenlimit", "lengthlimit"});

std::optional<std::uint64_t> sum_at(const json::value& told,
                                    std::initializer_list<std::string_view> pointers) {
    std::optional<std::uint64_t> sum;
    for (const auto pointer : pointers)
        if (const auto count = count_at(told, pointer)) sum = sum_of(sum.value_or(0), *count);
    return sum;
}

} // namespace

std::string_view name_of(FinishReason finish_reason) {
    return std::ranges::find(reason_words, finish_reason, &ReasonWords::reason)->name;
}

FinishReason finish_reason_of(std::string_view given) {
    const std::string word = lower_ascii(trim_blanks(given));
    std::string joined = word;
    std::erase_if(joined, [](char c) { return c == '_' || c == '-' || c == ' '; });
    const auto* const row = std::ranges::find_if(reason_words, [&](const ReasonWords& each) {
        return each.words.find("|" + word + "|") != std::string_view::npos;
    });
    const bool is_one_word = word.find('|') == std::string::npos;
    if (row != reason_words.end() && is_one_word) return row->reason;
    const auto has = [&](std::string_view part) { return joined.find(part) != std::string::npos; };
    if (std::ranges::any_of(filtering, has)) return FinishReason::filter;
    if (std::ranges::any_of(measured, has)) return FinishReason::length;
    return std::ranges::any_of(failing, has) ? FinishReason::failed : FinishReason::other;
}

bool names_failure(std::string_view event) {
    return event.find('.') == std::string_view::npos &&
           finish_reason_of(event) == FinishReason::failed;
}

bool tells_error(std::string_view text) {
    return finish_reason_of(text.substr(0, text.find_first_of(" :"))) == FinishReason::failed;
}

// Anthropic counts tokens of a cache besides input_tokens; Google counts those of the reasoning
// besides the output's, and so does xAI, others among them: the total shows which.
void read_usage(const json::value& told, Usage& usage) {
    auto input = sum_at(told, {"/prompt_tokens", "/promptTokenCount"});
    if (!input && count_at(told, "/input_tokens"))
        input = sum_at(
            told, {"/input_tokens", "/cache_read_input_tokens", "/cache_creation_input_tokens"});
    auto output =
        sum_at(told, {"/completion_tokens", "/candidatesTokenCount", "/thoughtsTokenCount"});
    if (!output) output = count_at(told, "/output_tokens");
    const auto reasoning =
        sum_at(told, {"/completion_tokens_details/reasoning_tokens", "/thoughtsTokenCount"});
    const auto total = count_at(told, "/total_tokens");
    if (input && output && reasoning && total == *input + *output + *reasoning)
        output = sum_of(*output, *reasoning);
    if (!output && input && total == input) output = 0; // of embeddings
    if (input) usage.input = input;
    if (output) usage.output = output;
    if (reasoning) usage.reasoning = reasoning;
}

} // namespace usershell::adapters
