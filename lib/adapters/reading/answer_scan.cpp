#include "adapters/reading/answer_scan.hpp"

#include "adapters/numbers.hpp"
#include "adapters/reading/endings.hpp"
#include "adapters/reading/json.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <utility>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_usage = std::size_t{4} * 1024;
constexpr std::size_t deepest = 7; ///< choices[].delta.tool_calls[].function.arguments

/// In the order of RelayRoute: where a document has its answer. `inside`: the member of the list's
/// elements that has it, by its first letter; empty: the list itself is enough.
struct RouteRow {
    std::array<std::string_view, 2> members; ///< one of them
    char first;                              ///< what its value begins with; '0': a number
    std::array<std::string_view, 3> inside;
};

constexpr auto routes = std::to_array<RouteRow>({
    {{"choices"}, '[', {"message", "delta", "text"}},
    {{"choices"}, '[', {"text", "message", "delta"}},
    {{"data"}, '[', {"embedding"}},
    {{"output"}, '[', {}},
    {{"output"}, '[', {}},
    {{"content"}, '[', {}},
    {{"input_tokens"}, '0', {}},
    {{"data", "images"}, '[', {"b64_json", "url"}},
    {{}, '{', {}}, // sound is no JSON: adapters/reading/sound.hpp
    {{"results", "data"}, '[', {"relevance_score"}},
});

/// Members whose objects are looked into.
constexpr auto visited =
    std::to_array<std::string_view>({"choices", "delta", "message", "response", "tool_calls",
                                     "function", "base_resp", "data", "images", "results", "meta"});

/// Members that have the answer's text, of which each event brings a piece.
constexpr auto texts =
    std::to_array<std::string_view>({"content", "text", "delta", "reasoning", "reasoning_content",
                                     "thinking", "refusal", "partial_json", "arguments"});

/// Events that have a type, by its beginning.
constexpr auto own_events = std::to_array<std::string_view>(
    {"message_", "content_block_", "ping", "response.", "image_generation.", "speech.audio."});
constexpr auto last_events =
    std::to_array<std::string_view>({"message_stop", "response.completed", "response.incomplete",
                                     "image_generation.completed", "speech.audio.done"});
constexpr auto routes_of_types = std::to_array<RelayRoute>(
    {RelayRoute::messages, RelayRoute::responses, RelayRoute::images, RelayRoute::speech});

bool begins_as(char expected, char first) {
    return expected == '0' ? is_digit(first) : expected == first;
}

/// Nothing is called by an empty name.
bool is_any(std::string_view name, const auto& names) {
    return !name.empty() && std::ranges::find(names, name) != names.end();
}

bool has_content(char first) { return first == '{' || first == '[' || first == '"'; }

bool is_number(char first) { return is_digit(first) || first == '-'; }

std::string_view without_quotes(std::string_view literal) {
    return literal.size() > 1 && literal.front() == '"' ? literal.substr(1, literal.size() - 2)
                                                        : std::string_view{};
}

} // namespace

bool AnswerScan::enter(std::size_t depth, std::string_view name, char first) {
    if (depth == 1) enter_top(name, first);
    const RouteRow& row = routes[static_cast<std::size_t>(route_)];
    const bool has_value = route_ == RelayRoute::rerank ? is_number(first) : has_content(first);
    if (depth == 3 && is_any(top_, row.members) && has_value && is_any(name, row.inside))
        is_own_ = true;
    if (depth == 3 && top_ == "choices" && name == "error" && first == '{') has_failed_ = true;
    return depth < deepest && is_any(name, visited);
}

void AnswerScan::enter_top(std::string_view name, char first) {
    top_ = name;
    const RouteRow& row = routes[static_cast<std::size_t>(route_)];
    const bool has_list = is_any(name, row.members) && begins_as(row.first, first);
    if (part_ == Part::document) {
        is_own_ = is_own_ || (has_list && row.inside.front().empty());
    } else if (row.members.front() == "choices") {
        is_own_ = is_own_ || has_list || (name == "usage" && first == '{');
    }
}

void AnswerScan::leave(std::size_t depth, std::string_view name, std::string_view value) {
    const bool is_usage = name == "usage" || (name == "tokens" && top_ == "meta");
    if (is_usage && value != "null" && depth <= 2 && top_ != "choices") usage_ = value;
    if (value.starts_with('"') && is_any(name, texts))
        has_key_ = has_key_ || key_.is_across(without_quotes(value));
    if (depth == 1) leave_top(name, value);
    if (depth == 2 && top_ == "base_resp" && name == "status_code")
        has_failed_ = has_failed_ || (value != "0" && value != "null");
    if (depth == 2 && top_ == "delta" && name == "stop_reason") ends(value);
    if (depth == 3 && top_ == "choices") leave_choice(name, value);
}

void AnswerScan::leave_top(std::string_view name, std::string_view value) {
    if (name == "type") type_ = without_quotes(value);
    if (name == "response") response_ = value;
    if (name == "type" || name == "object") has_failed_ = has_failed_ || value == R"("error")";
    if (name == "error")
        has_failed_ =
            has_failed_ || (has_content(value.front()) && value != R"("")" && value != "[]");
    if (name == "success") has_failed_ = has_failed_ || value == "false";
    const bool is_answers = part_ == Part::document;
    if (is_answers && name == "status" && route_ == RelayRoute::responses) ends(value);
    if (is_answers && name == "stop_reason") ends(value);
    if (!is_answers && name == "type")
        is_own_ = is_own_ || std::ranges::any_of(own_events, [this](std::string_view start) {
                      return is_type(start);
                  });
}

void AnswerScan::leave_choice(std::string_view name, std::string_view value) {
    if (name == "index") {
        const auto index = parse_number<std::uint64_t>(value).value_or(0);
        if (index_count_ < indices_.size())
            indices_[index_count_++] =
                static_cast<std::uint8_t>(std::min<std::uint64_t>(index, 63));
    }
    if (name != "finish_reason") return;
    const bool had_ended = std::exchange(has_ended_, false);
    ends(value);
    if (has_ended_ && ending_count_ < 64) endings_ |= std::uint64_t{1} << ending_count_;
    has_ended_ = has_ended_ || had_ended;
    ++ending_count_;
}

/// A reason why the answer, or a choice of it, has ended.
void AnswerScan::ends(std::string_view literal) {
    const FinishReason reason = finish_reason_of(without_quotes(literal));
    has_failed_ = has_failed_ || reason == FinishReason::failed;
    has_ended_ = has_ended_ || reason != FinishReason::none;
}

bool AnswerScan::is_type(std::string_view start) const {
    return std::ranges::find(routes_of_types, route_) != routes_of_types.end() &&
           type_.starts_with(start);
}

/// "response.failed"; not "response.mcp_call.failed", which is a part of an answer.
bool AnswerScan::is_failed_response() const {
    constexpr std::string_view start = "response.";
    if (!is_type(start)) return false;
    const auto word = type_.substr(start.size());
    return word.find('.') == std::string_view::npos &&
           finish_reason_of(word) == FinishReason::failed;
}

bool AnswerScan::is_last() const {
    return std::ranges::any_of(last_events, [this](auto type) { return is_type(type); });
}

// A choice without an index is the first.
void AnswerScan::add_choices(Choices& choices) const {
    if (!is_own_) return;
    std::uint64_t begun = 0;
    std::uint64_t ended = 0;
    for (std::size_t i = 0; i < std::max(index_count_, ending_count_) && i < 64; ++i) {
        const std::uint64_t bit = std::uint64_t{1} << (i < index_count_ ? indices_[i] : 0U);
        begun |= bit;
        if ((endings_ >> i & 1U) != 0) ended |= bit;
    }
    if (ending_count_ == 0 && has_ended_) ended = begun = 1; // of a message
    choices.add(begun, ended);
}

std::string_view AnswerScan::failure_in(std::string_view text) const {
    return is_failed_response() && response_.starts_with('{') ? response_ : text;
}

void AnswerScan::read_usage(Usage& usage) const {
    if (usage_.empty() || usage_.size() > max_usage) return;
    JsonMemory memory{max_usage};
    const auto parsed = parse_json(usage_, &memory);
    if (!parsed.value) return;
    const auto count = [&](std::string_view name, std::string_view other) {
        const auto found = count_at(*parsed.value, name);
        return found ? found : count_at(*parsed.value, other);
    };
    if (auto input = count("/prompt_tokens", "/input_tokens")) {
        // Anthropic counts tokens of a cache separately.
        for (const auto* const cached :
             {"/cache_read_input_tokens", "/cache_creation_input_tokens"})
            input = sum_of(*input, count_at(*parsed.value, cached).value_or(0));
        usage.input = input;
    }
    const auto output = count("/completion_tokens", "/output_tokens");
    if (output && type_ != "message_start") usage.output = output;
    // Embeddings and rankings have no output.
    const auto total = count_at(*parsed.value, "/total_tokens");
    if (route_ == RelayRoute::rerank && !usage.input) usage.input = total;
    if (usage.input && !usage.output && total == usage.input) usage.output = 0;
}

} // namespace usershell::adapters
