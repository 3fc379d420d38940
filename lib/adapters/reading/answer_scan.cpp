#include "adapters/reading/answer_scan.hpp"

#include "adapters/errors/provider_error.hpp"
#include "adapters/reading/endings.hpp"
#include "adapters/reading/json.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_usage = std::size_t{4} * 1024;
constexpr std::size_t max_depth = 7; ///< choices[].delta.tool_calls[].function.arguments
constexpr std::uint64_t last_choice = 63;
constexpr std::size_t max_indexes = 64;
constexpr std::size_t max_texts = 16;

/// In the order of RelayRoute: where a document has its answer, a list but for counts.
struct RouteRow {
    std::array<std::string_view, 2> members; ///< one of them
    std::array<std::string_view, 3> inside;  ///< the list's elements; none: the list is enough
};

constexpr auto routes = std::to_array<RouteRow>({
    {{"choices"}, {"message", "delta", "text"}},
    {{"choices"}, {"text", "message", "delta"}},
    {{"data"}, {"embedding"}},
    {{"output"}, {}},
    {{"output"}, {}},
    {{"content"}, {}},
    {{"input_tokens"}, {}},
    {{"data", "images"}, {"b64_json", "url"}},
    {{}, {}}, // sound is no JSON
    {{"results", "data"}, {"relevance_score"}},
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

/// Nothing is called by an empty name.
bool is_any(std::string_view name, const auto& names) {
    return !name.empty() && std::ranges::find(names, name) != names.end();
}

bool has_content(char first) { return first == '{' || first == '[' || first == '"'; }

bool is_number(char first) { return is_digit(first) || first == '-'; }

bool is_error_member(std::string_view value) {
    JsonMemory memory{max_error_bytes};
    const auto parsed = parse_json(value.substr(0, max_error_bytes), &memory);
    return !parsed.value || has_error(*parsed.value);
}

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
    return depth < max_depth && is_any(name, visited);
}

void AnswerScan::enter_top(std::string_view name, char first) {
    top_ = name;
    const RouteRow& row = routes[static_cast<std::size_t>(route_)];
    const bool has_list = is_any(name, row.members) &&
                          (route_ == RelayRoute::count_tokens ? is_digit(first) : first == '[');
    const bool is_enough =
        part_ == Part::document ? row.inside.front().empty() : row.members.front() == "choices";
    const bool is_usage =
        part_ == Part::event && row.members.front() == "choices" && name == "usage" && first == '{';
    if ((has_list && is_enough) || is_usage) is_own_ = true;
}

void AnswerScan::leave(std::size_t depth, std::string_view name, std::string_view value) {
    const bool is_usage = name == "usage" || (name == "tokens" && top_ == "meta");
    if (is_usage && value != "null" && depth <= 2 && top_ != "choices") usage_ = value;
    if (name.ends_with("index") && indexes_.size() < max_indexes)
        (indexes_ += value.substr(0, 8)) += ',';
    if (value.starts_with('"') && is_any(name, texts))
        texts_.emplace_back(name, without_quotes(value));
    if (texts_.size() > max_texts) search_texts();
    if (depth == 1) leave_top(name, value);
    if (depth == 2 && top_ == "base_resp" && name == "status_code" && value != "0" &&
        value != "null")
        has_failed_ = true;
    if (depth == 2 && top_ == "delta" && name == "stop_reason" && ends(value)) choices_.add({1, 1});
    if (depth != 3 || top_ != "choices") return;
    if (name == "error" && is_error_member(value)) has_failed_ = true;
    if (name == "index")
        choice_.begun = std::uint64_t{1}
                        << std::min(parse_number<std::uint64_t>(value).value_or(0), last_choice);
    if (name == "finish_reason") choice_.ended = ends(value) ? 1 : 0;
    if (name == "finish_reason" && choice_.begun == 0) choice_.begun = 1;
}

void AnswerScan::leave_top(std::string_view name, std::string_view value) {
    const bool is_type = name == "type";
    const bool is_answers = part_ == Part::document;
    if (is_type) type_ = without_quotes(value);
    if (name == "response") response_ = value;
    const RouteRow& row = routes[static_cast<std::size_t>(route_)];
    if (is_any(name, row.members) && value.starts_with('['))
        is_empty_ = value.find_first_not_of(" \t\r\n", 1) == value.size() - 1;
    if ((name == "error" && is_error_member(value)) ||
        ((is_type || name == "object") && value == R"("error")") ||
        (name == "success" && value == "false"))
        has_failed_ = true;
    const bool is_reason =
        name == "stop_reason" || (name == "status" && route_ == RelayRoute::responses);
    if (is_answers && is_reason && ends(value)) choices_.add({1, 1});
    if (!is_answers && is_type && has_type(own_events)) is_own_ = true;
}

/// Some servers count tokens in an index; so the texts of all sources are also read as one.
void AnswerScan::search_texts() {
    for (const auto& [name, text] : texts_)
        if (key_.is_across({}, text) || key_.is_across(std::string{name} + indexes_, text))
            has_key_ = true;
    texts_.clear();
}

void AnswerScan::close() {
    const bool is_choice = objects_ == 2 && top_ == "choices";
    if (is_choice || objects_ == 1) search_texts();
    if (is_choice) indexes_.clear();
    if (objects_-- != 2 || top_ != "choices") return;
    if (choice_.ended != 0) choice_.ended = choice_.begun;
    choices_.add(std::exchange(choice_, {}));
}

bool AnswerScan::ends(std::string_view literal) {
    const FinishReason reason = finish_reason_of(without_quotes(literal));
    if (reason == FinishReason::failed) has_failed_ = true;
    return reason != FinishReason::none;
}

bool AnswerScan::has_type(std::span<const std::string_view> starts) const {
    return std::ranges::find(routes_of_types, route_) != routes_of_types.end() &&
           std::ranges::any_of(starts, [this](auto start) { return type_.starts_with(start); });
}

/// "response.failed"; not "response.mcp_call.failed", which is a part of an answer.
bool AnswerScan::is_failed_response() const {
    constexpr std::array<std::string_view, 1> start{"response."};
    if (!has_type(start)) return false;
    const auto word = type_.substr(start.front().size());
    return word.find('.') == std::string_view::npos &&
           finish_reason_of(word) == FinishReason::failed;
}

bool AnswerScan::is_last() const { return has_type(last_events); }

std::string_view AnswerScan::failure_in(std::string_view text) const {
    return is_failed_response() && response_.starts_with('{') ? response_ : text;
}

void AnswerScan::read_usage(Usage& usage) const {
    if (usage_.empty() || usage_.size() > max_usage) return;
    JsonMemory memory{max_usage};
    const auto parsed = parse_json(usage_, &memory);
    if (!parsed.value) return;
    adapters::read_usage(*parsed.value, usage);
    if (type_ == "message_start") usage.output.reset();
    if (route_ != RelayRoute::rerank || usage.input) return;
    usage.input = count_at(*parsed.value, "/total_tokens");
    if (usage.input && !usage.output) usage.output = 0;
}

} // namespace usershell::adapters
