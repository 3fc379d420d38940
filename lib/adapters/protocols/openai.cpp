// OpenAI's chat completions API, which many providers offer too, and the two protocols that differ
// from it in URLs and headers only. Sources: OpenAI API reference, "Chat" (Create, streaming
// events) and "Models"; OpenRouter "Streaming" and "Errors and debugging" (comments, errors inside
// a stream); Mistral "Models" (capabilities) and "Reasoning" (content in parts); Together "List
// models" (a bare array); OpenAI "Images and vision" and OpenRouter "Image Inputs" (data URLs,
// after the text).
#include "adapters/adapter.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>

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

/// The texts of the parts of one type, which may be nested (Mistral's "thinking").
std::string texts_of(const json::array& parts, std::string_view type) {
    std::string text;
    for (const auto& part : parts) {
        if (part.is_string() && type == "text") text += text_at(part, "");
        if (text_at(part, "/type") != type) continue;
        const auto* const nested = array_at(part, "/" + std::string{type});
        text += nested ? texts_of(*nested, "text") : std::string{text_at(part, "/text")};
    }
    return text;
}

/// The text of a content, which is a string, or a list of parts; parts with reasoning are not the
/// answer's text.
std::string text_of(const json::value* content) {
    const auto* const parts = content ? content->if_array() : nullptr;
    return parts ? texts_of(*parts, "text") : std::string{content ? text_at(*content, "") : ""};
}

/// The reasoning, in one of the places where providers put it. OpenRouter sends it in two of them.
std::string reasoning_of(const json::value& message) {
    constexpr std::array<std::string_view, 2> places{"/reasoning_content", "/reasoning"};
    std::string text{first_text(message, places)};
    const auto* const parts = array_at(message, "/content");
    if (!text.empty() || parts) return text.empty() ? texts_of(*parts, "thinking") : text;
    if (const auto* const details = array_at(message, "/reasoning_details"))
        for (const auto& detail : *details)
            text.append(text_at(detail, "/text")).append(text_at(detail, "/summary"));
    return text;
}

void read_usages(const json::value& value, Answer& answer) {
    for (const auto* const place : {"/usage", "/x_groq/usage", "/choices/0/usage"})
        if (const auto* const usage = find_value(value, place)) read_usage(*usage, answer.usage);
}

void read_message(const json::value& message, Answer& answer) {
    const auto text = text_of(find_value(message, "/content"));
    answer.text += text.empty() ? std::string{text_at(message, "/refusal")} : text;
    if (answer.wants_reasoning) answer.reasoning += reasoning_of(message);
    // vLLM and LM Studio always send the list.
    const auto* const tools = array_at(message, "/tool_calls");
    answer.asks_for_tool = answer.asks_for_tool || (tools && !tools->empty());
}

/// Perplexity's chunks have the new text in `delta` and all that has come so far in `message`. The
/// text of a choice that failed is that of an error.
void read_choice(const json::value& choice, Answer& answer) {
    answer.end(text_at(choice, "/finish_reason"), choice);
    if (answer.failure) return;
    const auto* const delta = find_value(choice, "/delta");
    const auto* const message = find_value(choice, "/message");
    if (delta && delta->is_object())
        read_message(*delta, answer);
    else if (message)
        read_message(*message, answer);
    else
        answer.text += text_at(choice, "/text"); // as of a completion
}

/// The first of several choices, which come in one chunk or in turns. Old servers count tokens in
/// `index`, from 1 on; then no choice has index 0.
const json::value* first_choice(const json::array& choices, Answer& answer) {
    const auto is_first = [](const json::value& choice) {
        return count_at(choice, "/index").value_or(0) == 0;
    };
    const auto* const first = std::ranges::find_if(choices, is_first);
    if (first != choices.end()) {
        answer.has_first_choice = true;
        return first;
    }
    return answer.has_first_choice ? nullptr : &choices.front();
}

struct OpenAiAdapter : Adapter {
    RequestOptions options(const CallTarget& target, const ChatRequest& request) const override;
    net::HttpRequest chat_request(const CallTarget& target, const ChatRequest& request,
                                  const RequestOptions& options) const override;
    net::HttpRequest models_request(const CallTarget& target, std::string_view page,
                                    const RequestOptions& options) const override;
    /// Null when the key is no_key and the type allows that.
    std::optional<net::KeyHeader> relay_key(const CallTarget& target) const override;

    bool add(const json::value& event, Answer& answer) const override;
    virtual std::string models_url(const CallTarget& target, const RequestOptions& options) const;
};

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

bool OpenAiAdapter::add(const json::value& event, Answer& answer) const {
    const auto* const choices = array_at(event, "/choices");
    if (!choices) return false; // a keep-alive object
    read_usages(event, answer);
    if (answer.model.empty()) answer.model = text_at(event, "/model");
    const auto* const chosen = choices->empty() ? nullptr : first_choice(*choices, answer);
    if (!chosen) return true; // usage alone
    if (is_provider_error(*chosen))
        answer.fail(*chosen);
    else
        read_choice(*chosen, answer);
    return true;
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

constexpr std::string_view chat_version =
    "?api-version=2024-10-21"; // the last dated release that is not a preview
// The last version with a list of deployments; that of models names what is not deployed, too.
constexpr std::string_view list_version = "?api-version=2023-03-15-preview";

bool is_v1(const BaseUrl& base) { return ends_in_version(base.path()); }

/// "…/openai"; the base URL may already end so.
std::string resource_of(const BaseUrl& base) {
    return base.text() + (base.path().ends_with("/openai") ? "" : "/openai");
}

/// OpenAI's format at Azure's addresses, with the key in `api-key`. A base URL that ends in "/v1"
/// is the v1 API, addressed like OpenAI's and without api-version; any other is a resource whose
/// deployments are addressed by name, with one. Sources: Microsoft Learn, "Azure OpenAI in Foundry
/// Models API lifecycle" (v1) and "REST API reference".
struct AzureOpenAiAdapter : OpenAiAdapter {
    /// Responses are routes of the v1 API alone.
    std::string relay_url(const CallTarget& target, RelayRoute route, std::string_view model,
                          bool version_path) const override {
        if (is_v1(target.base_url))
            return OpenAiAdapter::relay_url(target, route, model, version_path);
        std::string url = resource_of(target.base_url);
        if (is_part_of(route, RelayRoute::responses))
            return url.append("/v1").append(path_of(route));
        url.append("/deployments/").append(percent_encoded(model)).append(path_of(route));
        return url.append(chat_version);
    }

    std::optional<net::KeyHeader> relay_key(const CallTarget& target) const override {
        return net::KeyHeader{"api-key", "", target.key};
    }

    std::string models_url(const CallTarget& target, const RequestOptions& options) const override {
        if (is_v1(target.base_url)) return OpenAiAdapter::models_url(target, options);
        return resource_of(target.base_url) + "/deployments" + std::string{list_version};
    }
};

/// Ollama: chat by its OpenAI-compatible side, the list by its own, which knows what is installed.
/// The base URL is the root of both (stored_base_url() of domain/catalogue.hpp). Sources: Ollama
/// documentation, "OpenAI compatibility" and "List models" (/api/tags), "Show model details".
struct OllamaAdapter : OpenAiAdapter {
    std::string relay_url(const CallTarget& target, RelayRoute route, std::string_view model,
                          bool /*version_path*/) const override {
        return OpenAiAdapter::relay_url(target, route, model, true);
    }

    std::string models_url(const CallTarget& target, const RequestOptions&) const override {
        return target.base_url.text() + "/api/tags";
    }
};

} // namespace

const Adapter& openai_adapter() {
    static const OpenAiAdapter adapter;
    return adapter;
}

const Adapter& azure_openai_adapter() {
    static const AzureOpenAiAdapter adapter;
    return adapter;
}

const Adapter& ollama_adapter() {
    static const OllamaAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
