#include "adapters/protocols/openai.hpp"

namespace usershell::adapters {

namespace {

json::value content_of(const ChatMessage& message) {
    if (message.images.empty()) return json::string{message.content};
    json::array parts;
    if (!message.content.empty()) parts.push_back({{"type", "text"}, {"text", message.content}});
    for (const ChatImage& image : message.images) {
        std::string url = "data:" + std::string{image.type} + ";base64,";
        json::object place{{"url", url.append(image_gap)}};
        parts.push_back({{"type", "image_url"}, {"image_url", std::move(place)}});
    }
    return parts;
}

json::array messages_of(const ChatRequest& request) {
    json::array messages;
    if (!request.system.empty())
        messages.push_back({{"role", "system"}, {"content", request.system}});
    for (const auto& message : request.messages) {
        const bool user = message.role == ChatMessage::Role::user;
        messages.push_back(
            {{"role", user ? "user" : "assistant"}, {"content", content_of(message)}});
    }
    return messages;
}

json::value body_of(const ChatRequest& request, const RequestOptions& options) {
    json::object body{
        {"model", request.model}, {"messages", messages_of(request)}, {"stream", options.stream}};
    if (options.stream && options.usage) body["stream_options"] = {{"include_usage", true}};
    if (request.temperature && options.temperature) body["temperature"] = *request.temperature;
    if (options.max_tokens)
        body[options.completion_tokens ? "max_completion_tokens" : "max_tokens"] =
            *options.max_tokens;
    return body;
}

} // namespace

// OpenAI has deprecated max_tokens and refuses it for its reasoning models; most other providers
// know only max_tokens. Mistral reports the usage without being asked, and refuses stream_options,
// which it does not know.
RequestOptions OpenAiAdapter::options(const CallTarget& target, const ChatRequest& request) const {
    RequestOptions options = Adapter::options(target, request);
    options.completion_tokens =
        target.type.value == "openai" || target.type.protocol == Protocol::azure_openai;
    options.usage = target.type.value != "mistral";
    return options;
}

net::HttpRequest OpenAiAdapter::chat_request(const CallTarget& target, const ChatRequest& request,
                                             const RequestOptions& options) const {
    return post_chat(relay_url(target, RelayRoute::chat, request.model, options.version_path),
                     relay_key(target), body_of(request, options), request, options.stream);
}

net::HttpRequest OpenAiAdapter::models_request(const CallTarget& target, std::string_view page,
                                               const RequestOptions& options) const {
    auto url = models_url(target, options);
    if (!page.empty()) {
        url += url.find('?') == std::string::npos ? "?" : "&";
        url += page;
    }
    return get_json(std::move(url), relay_key(target));
}

std::string OpenAiAdapter::models_url(const CallTarget& target,
                                      const RequestOptions& options) const {
    return target.base_url.text() + (options.version_path ? "/v1/models" : "/models");
}

std::optional<net::KeyHeader> OpenAiAdapter::relay_key(const CallTarget& target) const {
    if (target.type.key_optional && target.key == no_key) return std::nullopt;
    return bearer(target.key);
}

const Adapter& openai_adapter() {
    static const OpenAiAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
