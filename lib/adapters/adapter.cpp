#include "adapters/adapter.hpp"

#include "base/ascii.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

struct Row {
    Protocol protocol;
    const Adapter& (*adapter)();
};

constexpr auto adapter_rows = std::to_array<Row>({
    {Protocol::openai, openai_adapter},
    {Protocol::anthropic, anthropic_adapter},
    {Protocol::gemini, gemini_adapter},
    {Protocol::azure_openai, azure_openai_adapter},
    {Protocol::ollama, ollama_adapter},
});

std::string with_images(std::string_view text, const ChatRequest& request) {
    std::size_t size = text.size();
    for (const ChatMessage& message : request.messages)
        for (const ChatImage& image : message.images) size += image.data.size();
    std::string whole;
    whole.reserve(size);
    for (const ChatMessage& message : request.messages) {
        for (const ChatImage& image : message.images) {
            const std::size_t place = text.find(image_gap);
            whole.append(text.substr(0, place)).append(image.data);
            text.remove_prefix(place + image_gap.size());
        }
    }
    return whole.append(text);
}

/// An error beside an empty list.
bool is_empty_error(const json::value& value) {
    for (const auto* const place : {"/choices", "/content", "/candidates"})
        if (const auto* const list = array_at(value, place))
            return list->empty() && (tells_failure(value) || has_message(value));
    return false;
}

} // namespace

const Adapter* find_adapter(Protocol protocol) {
    const auto* const row = std::ranges::find(adapter_rows, protocol, &Row::protocol);
    return row == adapter_rows.end() ? nullptr : &row->adapter();
}

RequestOptions Adapter::options(const CallTarget&, const ChatRequest& request) const {
    RequestOptions options;
    options.stream = request.stream;
    options.max_tokens = request.max_tokens;
    if (!request.max_tokens && request.check) options.max_tokens = check_tokens;
    options.fewer_tokens = options.max_tokens != request.max_tokens;
    options.temperature = request.temperature.has_value();
    options.system_role = !request.system.empty();
    return options;
}

void Adapter::read(const json::value& value, Answer& answer, bool is_whole) const {
    if (is_provider_error(value) || is_empty_error(value)) return answer.fail(value);
    if (is_whole ? add_whole(value, answer) : add(value, answer))
        answer.recognised = true;
    else if (answer.finish_reason == FinishReason::none &&
             (tells_failure(value) || (is_whole && has_message(value))))
        answer.fail(value);
    else if (has_message(value))
        answer.hint(value);
    if (is_whole || answer.closed) answer.complete();
}

std::string Adapter::relay_url(const CallTarget& target, RelayRoute route,
                               std::string_view /*model*/, bool version_path) const {
    std::string url = route_base(target.type, route, target.base_url);
    return url.append(version_path ? "/v1" : "").append(path_of(route));
}

std::optional<net::KeyHeader> Adapter::relay_key(const CallTarget& target) const {
    return bearer(target.key);
}

net::KeyHeader bearer(std::string_view key) { return {"Authorization", "Bearer ", key}; }

net::HttpRequest post_json(std::string url, std::optional<net::KeyHeader> key,
                           const json::value& body, bool stream) {
    return {.method = "POST",
            .url = std::move(url),
            .headers = {{"Content-Type", "application/json"},
                        {"Accept", stream ? "text/event-stream" : "application/json"}},
            .key = std::move(key),
            .body = json::serialize(body)};
}

net::HttpRequest post_chat(std::string url, std::optional<net::KeyHeader> key,
                           const json::value& body, const ChatRequest& request, bool stream) {
    net::HttpRequest post = post_json(std::move(url), std::move(key), body, stream);
    if (has_images(request)) post.body = with_images(post.body, request);
    return post;
}

net::HttpRequest get_json(std::string url, std::optional<net::KeyHeader> key) {
    return {.method = "GET",
            .url = std::move(url),
            .headers = {{"Accept", "application/json"}},
            .key = std::move(key),
            .body = {}};
}

bool ends_in_version(std::string_view path) {
    const auto last = path.substr(path.rfind('/') + 1);
    return last.size() >= 2 && last[0] == 'v' && is_digit(last[1]);
}

} // namespace usershell::adapters
