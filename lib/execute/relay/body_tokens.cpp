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

/// Other servers' names of it. Some take one in place of the route's, so the largest counts.
constexpr auto other_maxima = std::to_array<std::string_view>(
    {"n_predict", "num_predict", "max_tokens", "max_completion_tokens", "max_output_tokens",
     "max_new_tokens", "max_length", "thinking_budget"});
/// How many answers or images are made.
constexpr auto counts =
    std::to_array<std::string_view>({"n", "best_of", "n_cmpl", "num_return_sequences", "batch_size",
                                     "num_images", "num_outputs", "number_of_images"});

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
    if (states_maximum(route_, name)) {
        const std::int64_t most = number_of(value);
        is_boundless_ = is_boundless_ || most == 0;
        answer_ = std::max(answer_, most);
    }
    if (std::ranges::find(other_maxima, name) != other_maxima.end())
        other_answer_ = std::max(other_answer_, number_of(value));
    if (std::ranges::find(counts, name) != counts.end())
        choices_ = std::max(choices_, number_of(value));
}

void BodyTokens::take(std::size_t depth, std::string_view name, std::string_view value,
                      BodyPlace place) {
    if (depth == 1) take_maximum(name, value);
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

store::TokenNeed BodyTokens::need(std::size_t body_bytes) const {
    if (route_ == RelayRoute::count_tokens) return {};
    const auto text = static_cast<std::int64_t>((body_bytes - binary_bytes_) / bytes_of_token);
    const std::int64_t least = answer_ == 0 || is_boundless_ ? unstated_answer : 0;
    const std::int64_t answer = answers_in_text(route_) ? std::max({answer_, other_answer_, least})
                                : route_ == RelayRoute::images ? tokens_of_made_image
                                                               : 0;
    return {.input = text + binary_tokens_, .output = std::min(answer * choices_, max_tokens)};
}

} // namespace usershell::execute
