// Anthropic's Messages API. `max_tokens` is required, the system prompt is outside the messages,
// and each event names its kind in its own `type`. Servers of others that speak it take the key as
// `x-api-key`, as a bearer token or as either (MiniMax, OpenRouter, vLLM): they are sent both.
// Sources: Claude API reference, "Messages", "Streaming messages", "Errors", "List models";
// "Vision" (images before the text).
#include "adapters/adapter.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

constexpr std::uint32_t usual_tokens = 4096;

std::string url(const CallTarget& target, std::string_view path) {
    const auto& base = target.base_url;
    return base.text() + (ends_in_version(base.path()) ? "" : "/v1") + std::string{path};
}

bool is_anthropics(std::string_view host) {
    return host == "anthropic.com" || host.ends_with(".anthropic.com");
}

net::HttpRequest versioned(net::HttpRequest request) {
    request.headers.emplace_back("anthropic-version", "2023-06-01");
    return request;
}

json::value content_of(const ChatMessage& message) {
    if (message.images.empty()) return json::string{message.content};
    json::array blocks;
    for (const ChatImage& image : message.images) {
        json::object source{{"type", "base64"}, {"media_type", image.type}, {"data", image_gap}};
        blocks.push_back({{"type", "image"}, {"source", std::move(source)}});
    }
    if (!message.content.empty()) // an empty block is refused
        blocks.push_back({{"type", "text"}, {"text", message.content}});
    return blocks;
}

json::value body_of(const ChatRequest& request, const RequestOptions& options) {
    json::array messages;
    for (const auto& message : request.messages) {
        const bool user = message.role == ChatMessage::Role::user;
        messages.push_back(
            {{"role", user ? "user" : "assistant"}, {"content", content_of(message)}});
    }
    json::object body{{"model", request.model},
                      {"max_tokens", options.max_tokens.value_or(usual_tokens)},
                      {"messages", std::move(messages)},
                      {"stream", options.stream}};
    if (!request.system.empty()) body["system"] = request.system;
    if (request.temperature && options.temperature) body["temperature"] = *request.temperature;
    return body;
}

void add_text(const json::value& block, Answer& answer) {
    const auto type = text_at(block, "/type");
    if (type == "text" || type == "text_delta") answer.text += text_at(block, "/text");
    if (type == "thinking" || type == "thinking_delta")
        answer.reasoning += text_at(block, "/thinking");
}

void read_usage_at(const json::value& value, std::string_view pointer, Answer& answer) {
    if (const auto* const usage = find_value(value, pointer)) read_usage(*usage, answer.usage);
}

constexpr auto event_types = std::to_array<std::string_view>(
    {"message_start", "content_block_start", "content_block_delta", "content_block_stop",
     "message_delta", "message_stop", "ping"});

class AnthropicAdapter : public Adapter {
public:
    net::HttpRequest chat_request(const CallTarget& target, const ChatRequest& request,
                                  const RequestOptions& options) const override {
        return versioned(post_chat(url(target, "/messages"), relay_key(target),
                                   body_of(request, options), request, options.stream));
    }

    std::string relay_url(const CallTarget& target, RelayRoute route, std::string_view /*model*/,
                          bool /*version_path*/) const override {
        return url(target, path_of(route));
    }

    std::optional<net::KeyHeader> relay_key(const CallTarget& target) const override {
        return messages_key(target);
    }

    net::HttpRequest models_request(const CallTarget& target, std::string_view page,
                                    const RequestOptions&) const override {
        const std::string after = page.empty() ? "" : "&" + std::string{page};
        return versioned(get_json(url(target, "/models?limit=1000" + after), relay_key(target)));
    }

    ListForm list_form() const override { return {"generation,assistant", "after_id"}; }

protected:
    bool add(const json::value& event, Answer& answer) const override {
        const auto type = text_at(event, "/type");
        if (std::ranges::find(event_types, type) == event_types.end()) return false;
        for (const auto* const place : {"/content_block", "/delta"})
            if (const auto* const block = find_value(event, place)) add_text(*block, answer);
        read_usage_at(event, "/usage", answer);
        if (type == "message_start") {
            answer.model = text_at(event, "/message/model");
            read_usage_at(event, "/message/usage", answer);
            answer.usage.output.reset(); // the last event has it
        }
        if (type == "message_delta") answer.end(text_at(event, "/delta/stop_reason"), event);
        answer.closed = type == "message_stop";
        return true;
    }

    bool add_whole(const json::value& value, Answer& answer) const override {
        const auto* const content = array_at(value, "/content");
        if (!content) return false;
        answer.model = text_at(value, "/model");
        read_usage_at(value, "/usage", answer);
        for (const auto& block : *content) add_text(block, answer);
        answer.end(text_at(value, "/stop_reason"), value);
        return true;
    }
};

} // namespace

net::KeyHeader messages_key(const CallTarget& target) {
    return {"x-api-key", "", target.key, !is_anthropics(target.base_url.host())};
}

const Adapter& anthropic_adapter() {
    static const AnthropicAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
