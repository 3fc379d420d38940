#include "execute/relay/relay_body.hpp"

#include "adapters/reading/json_scanner.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace usershell::execute {
namespace {

// Two parsers may read one text in two ways: which of two members counts, and whether "MODEL" is
// "model" (Go's parser takes any case, also U+017F for "s" and U+212A for "k"). So names are
// compared folded, and a second "model" is refused.
//
// Members inside a tool's own schema, arguments or input are the person's data and choose nothing.

constexpr std::size_t max_name = 64; ///< longer names are none of ours

constexpr auto model_choices =
    std::to_array<std::string_view>({"models", "fallbacks", "route", "preset", "plugins"});
/// Top-level members of Responses and Messages that name a stored object.
constexpr auto stored_at_top = std::to_array<std::string_view>(
    {"background", "conversation", "previous_response_id", "container"});
/// Members at any depth that do.
constexpr auto stored_anywhere = std::to_array<std::string_view>(
    {"file_id", "file_ids", "vector_store_id", "vector_store_ids", "container_id", "skill_id"});
constexpr auto data_of_tools = std::to_array<std::string_view>(
    {"parameters", "input_schema", "schema", "properties", "arguments", "metadata"});

template <class Names>
bool is_one_of(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::string folded(std::string_view name) {
    std::string text;
    if (name.size() > max_name) return text;
    while (!name.empty()) name.remove_prefix(fold_first(name, text));
    return text;
}

Refusal not_for_this_token(const std::string& name) {
    return invalid(name,
                   {"This access token does not allow the member {name}."_en, {{"name", name}}});
}

class Reader final : public adapters::JsonVisitor {
public:
    Reader(std::string_view body, adapters::RelayRoute route, store::BodyLimits limits)
        : body_{body},
          route_{route},
          limits_{limits} {}

    RelayBody take() {
        if (!has_model_) throw missing("model");
        return std::move(result_);
    }

    bool enter(std::size_t depth, std::string_view name, char first) override {
        const std::string key = folded(name);
        if (depth == 1) {
            top_ = key;
            if (key == "model") begin_model(first);
            if (limits_.has_model_limit && is_one_of(model_choices, key))
                throw not_for_this_token(key);
        } else if (limits_.has_model_limit && top_ == "tools" && key == "model") {
            throw not_for_this_token("tools.model");
        }
        if (!limits_.may_use_stored_objects && is_one_of(stored_anywhere, key))
            throw not_for_this_token(key);
        const bool is_tool_input = depth > 1 && key == "input" && first == '{';
        return !is_tool_input && !is_one_of(data_of_tools, key);
    }

    void leave(std::size_t depth, std::string_view name, std::string_view value) override {
        const std::string key = folded(name);
        if (!limits_.may_use_stored_objects && refers_to_stored(depth, key, value))
            throw not_for_this_token(key);
        if (depth > 1) return;
        if (key == "model") end_model(value);
        if (key == "stream") result_.wants_stream = value == "true";
    }

private:
    bool refers_to_stored(std::size_t depth, std::string_view key, std::string_view value) const {
        if (key == "type") return value == R"("item_reference")";
        const bool is_empty = value == "null" || value == "false";
        if (is_empty || depth > 1) return key == "container" && value.starts_with('"');
        const bool is_prompt = key == "prompt" && route_ == adapters::RelayRoute::responses;
        return is_prompt || is_one_of(stored_at_top, key);
    }

    void begin_model(char first) {
        if (has_model_) throw invalid("model", "The request names its model twice."_en);
        if (first != '"') throw invalid("model", "A model is named by a string."_en);
        has_model_ = true;
    }

    void end_model(std::string_view value) {
        const auto name = adapters::json_string(value);
        if (!name) throw invalid("model", "A model is named by a string."_en);
        result_.model = *name;
        result_.model_at = static_cast<std::size_t>(value.data() - body_.data());
        result_.model_size = value.size();
    }

    std::string_view body_;
    adapters::RelayRoute route_;
    store::BodyLimits limits_;
    RelayBody result_;
    std::string top_; ///< the top-level member that is read
    bool has_model_ = false;
};

} // namespace

RelayBody read_relay_body(std::string_view body, adapters::RelayRoute route,
                          store::BodyLimits limits) {
    Reader reader{body, route, limits};
    const auto first = body.find_first_not_of(" \t\r\n");
    const bool is_object = first != std::string_view::npos && body[first] == '{';
    if (!is_object || !adapters::scan_json(body, rules::max_relay_depth, reader))
        throw Refusal{ErrorCode::malformed_json, "The body is not a JSON object."_en};
    return reader.take();
}

} // namespace usershell::execute
