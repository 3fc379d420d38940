#include "execute/relay/body_tokens.hpp"

#include "base/ascii.hpp"
#include "execute/calls/health_collector.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace usershell::execute {
namespace {

constexpr std::size_t min_binary = 1024; ///< bytes; smaller values count as text
/// Of other files. Source: Claude API documentation, "PDF support": a page takes up to 3,000
/// tokens; a scanned one has some 100 KiB. Sound takes less.
constexpr std::int64_t file_bytes_of_token = 40;
constexpr std::int64_t max_tokens = 1'000'000'000;

/// A number of JSON, also in quotes; 0: none, or no limit.
std::int64_t number_of(std::string_view value) {
    if (value.starts_with('"')) value.remove_prefix(1);
    double number = 0;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number > 0 ? static_cast<std::int64_t>(std::min<double>(number, max_tokens)) : 0;
}

/// The route's own names of the most tokens that an answer may have.
bool states_maximum(RelayRoute route, std::string_view name) {
    using enum RelayRoute;
    if (route == responses) return name == "max_output_tokens";
    return name == "max_tokens" || (route == chat && name == "max_completion_tokens");
}

/// Every server's names of it, folded: some take one instead of the route's, others pass over it.
/// So these raise the maximum and never lower it.
constexpr auto maxima = std::to_array<std::string_view>(
    {"max_tokens", "max_completion_tokens", "max_output_tokens", "n_predict", "num_predict",
     "max_new_tokens", "max_tokens_to_sample", "max_length", "max_gen_len", "budget_tokens",
     "maxtokens", "maxoutputtokens", "maxnewtokens"});
/// How many answers or images are made.
constexpr auto counts = std::to_array<std::string_view>(
    {"n", "best_of", "n_cmpl", "num_return_sequences", "batch_size", "num_images",
     "num_images_per_prompt", "num_outputs", "number_of_images", "samples"});

bool is_any(std::string_view name, const auto& names) {
    return std::ranges::find(names, name) != names.end();
}

/// Of a list of texts, or of lists of tokens, each is a prompt with answers of its own.
std::int64_t prompts_in(std::string_view value) {
    if (!value.starts_with('[')) return 0;
    std::int64_t prompts = 0;
    int depth = 0;
    bool is_text = false;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const char c = value[i];
        if (is_text && c == '\\') ++i;
        if (depth == 1 && !is_text && (c == '"' || c == '[' || c == '{')) ++prompts;
        if (c == '"') is_text = !is_text;
        if (is_text) continue;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
    }
    return prompts;
}

/// Of a string of JSON, the base64 that it is, as itself or as a data URL.
std::optional<std::string_view> base64_in(std::string_view literal) {
    constexpr std::size_t max_type = 200;
    constexpr std::string_view mark = ";base64,";
    auto data = literal.substr(1, literal.size() - 2);
    if (data.starts_with("data:")) {
        const auto at = data.substr(0, max_type).find(mark);
        if (at == std::string_view::npos) return std::nullopt;
        data.remove_prefix(at + mark.size());
    }
    const auto is_of_base64 = [](char c) { // a slash may be escaped
        return is_alphanumeric(c) || std::string_view{"+/=-_\\"}.find(c) != std::string_view::npos;
    };
    if (!std::ranges::all_of(data, is_of_base64)) return std::nullopt;
    return data;
}

} // namespace

void BodyTokens::take_maximum(std::string_view name, std::string_view value) {
    const std::int64_t number = number_of(value);
    is_stated_ = is_stated_ || states_maximum(route_, name);
    is_boundless_ = is_boundless_ || (number == 0 && is_any(name, maxima));
    if (is_any(name, counts)) choices_ = std::max(choices_, number);
    if (name == "prompt") prompts_ = std::max(prompts_, prompts_in(value));
    if (name == "enable_thinking") thinks_ = thinks_ || value == "true";
    if (name == "thinking_budget") thinking_ = std::max(thinking_, number);
}

void BodyTokens::take(std::size_t depth, std::string_view name, std::string_view value,
                      BodyPlace place) {
    if (depth == 1) take_maximum(name, value);
    if (depth <= 2 && is_any(name, maxima)) answer_ = std::max(answer_, number_of(value));
    Object& object = objects_.back();
    if (name == "media_type") object.is_image = value.starts_with(R"("image/)");
    if (place == BodyPlace::other || !value.starts_with('"')) return;
    const auto data = base64_in(value);
    if (!data) {
        if (place == BodyPlace::address) binary_tokens_ += tokens_of_image;
    } else if (value.size() >= min_binary) {
        if (object.is_media && name == "data")
            object.data += value.size();
        else
            add(value.size(), value.starts_with(R"("data:image/)") || name == "image_base64");
    }
}

void BodyTokens::close(std::string_view type) {
    const Object& object = objects_.back();
    if (object.data > 0 && type != "text") add(object.data, object.is_image);
    objects_.pop_back();
}

void BodyTokens::add(std::size_t bytes, bool is_image) {
    binary_bytes_ += bytes;
    const auto by_size = static_cast<std::int64_t>(bytes) / file_bytes_of_token;
    binary_tokens_ += is_image ? tokens_of_image : std::max(tokens_of_image, by_size);
}

bool answers_in_text(RelayRoute route) {
    using enum RelayRoute;
    return route != embeddings && route != rerank && route != speech && route != images;
}

opener::TokenNeed BodyTokens::need(std::size_t body_bytes) const {
    if (route_ == RelayRoute::count_tokens) return {};
    const auto text = static_cast<std::int64_t>((body_bytes - binary_bytes_) / bytes_of_token);
    const std::int64_t least = !is_stated_ || is_boundless_ ? unstated_answer : 0;
    const std::int64_t thought = thinks_ && thinking_ == 0 ? unstated_answer : thinking_;
    const std::int64_t answer = answers_in_text(route_)        ? std::max(answer_, least) + thought
                                : route_ == RelayRoute::images ? tokens_of_made_image
                                                               : 0;
    const std::int64_t answers = std::min(choices_ * prompts_, max_tokens);
    return {.input = text + binary_tokens_, .output = std::min(answer * answers, max_tokens)};
}

} // namespace usershell::execute
