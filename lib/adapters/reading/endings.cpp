#include "adapters/reading/endings.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::adapters {

FinishReason finish_reason_of(std::string_view given) {
    using enum FinishReason;
    using Row = std::pair<FinishReason, std::string_view>; // with its words, each between two bars
    static constexpr auto rows = std::to_array<Row>({
        {none, "||null|none|undefined|unspecified|finish_reason_unspecified|in_progress|queued|"},
        {stop, "|stop|end|eos|eos_token|end_turn|pause_turn|stop_sequence|complete|completed|done|"
               "finished|"},
        {length, "|length|max_tokens|max_output_tokens|model_length|model_context_window_exceeded|"
                 "incomplete|error_limit|"},
        {filter, "|content_filter|safety|sensitive|refusal|recitation|blocklist|spii|image_safety|"
                 "prohibited_content|error_toxic|"},
        {tool, "|tool|tool_call|tool_calls|tool_use|function_call|malformed_function_call|"
               "unexpected_tool_call|"},
        {failed, "|insufficient_system_resource|"},
    });
    // In the words of failures, which every server makes for itself.
    static constexpr auto failing =
        std::to_array<std::string_view>({"error", "fail", "abort", "timeout", "timed_out", "cancel",
                                         "exception", "interrupt", "unavailable", "overload"});

    const std::string word = lower_ascii(trim_blanks(given));
    const auto* const row = std::ranges::find_if(rows, [&](const Row& each) {
        return each.second.find("|" + word + "|") != std::string_view::npos;
    });
    if (row != rows.end()) return row->first;
    const bool fails = std::ranges::any_of(
        failing, [&](std::string_view part) { return word.find(part) != std::string::npos; });
    return fails ? failed : other;
}

} // namespace usershell::adapters
