#include "execute/relay/body_tokens.hpp"

#include "execute/calls/usage.hpp"

#include <algorithm>
#include <charconv>

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

} // namespace

void BodyTokens::take(std::size_t depth, std::string_view name, std::string_view value) {
    if (depth == 1) {
        if (name == "max_tokens" || name == "max_completion_tokens" ||
            name == "max_output_tokens" || name == "n_predict")
            answer_ = std::max(answer_, number_of(value));
        if (name == "n" || name == "best_of") choices_ = std::max(choices_, number_of(value));
    }
    Object& object = objects_.back();
    if (name == "media_type") object.is_image = value.starts_with(R"("image/)");
    if (value.size() < min_binary || !value.starts_with('"')) return;
    if (value.starts_with(R"("data:)"))
        add(value.size(), value.starts_with(R"("data:image/)"));
    else if (name == "image_base64" || name == "file_data")
        add(value.size(), name == "image_base64");
    else if (object.is_media && name == "data")
        object.data += value.size();
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

store::TokenNeed BodyTokens::need(adapters::RelayRoute route, std::size_t body_bytes) const {
    using adapters::RelayRoute;
    if (route == RelayRoute::count_tokens) return {};
    const auto text = static_cast<std::int64_t>((body_bytes - binary_bytes_) / bytes_of_token);
    const std::int64_t answer = answer_ > 0 ? answer_ : unstated_answer;
    return {.input = text + binary_tokens_,
            .output =
                route == RelayRoute::embeddings ? 0 : std::min(answer * choices_, max_tokens)};
}

} // namespace usershell::execute
