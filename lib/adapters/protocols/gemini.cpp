// Google's Gemini API: the model is in the path, roles are "user" and "model", and a stream
// (`alt=sse`) has no last word but a finish reason. Parts with `thought` are the model's reasoning.
// Sources: Google AI for Developers, API reference: "Generating content" (generateContent,
// streamGenerateContent, FinishReason, PromptFeedback, Part, Blob) and "Models" (models.list).
#include "adapters/adapter.hpp"
#include "base/ascii.hpp"

namespace usershell::adapters {

namespace {

std::string base_of(const CallTarget& target) {
    const auto& base = target.base_url;
    return base.text() + (ends_in_version(base.path()) ? "" : "/v1beta");
}

net::KeyHeader key_header(const CallTarget& target) { return {"x-goog-api-key", "", target.key}; }

/// "models/gemini-pro", "tunedModels/x" and plain ids; whatever else is in an id is encoded.
std::string resource_of(std::string_view model) {
    for (const std::string_view collection : {"models/", "tunedModels/"})
        if (model.starts_with(collection))
            return std::string{collection} + percent_encoded(model.substr(collection.size()));
    return "models/" + percent_encoded(model);
}

/// Images before the text ("Image understanding").
json::object parts_of(const ChatMessage& message) {
    json::array parts;
    for (const ChatImage& image : message.images) {
        json::object blob{{"mimeType", image.type}, {"data", image_gap}};
        parts.push_back(json::object{{"inlineData", std::move(blob)}});
    }
    if (message.images.empty() || !message.content.empty())
        parts.push_back(json::object{{"text", message.content}});
    return {{"parts", std::move(parts)}};
}

json::value body_of(const ChatRequest& request, const RequestOptions& options) {
    json::array contents;
    for (const auto& message : request.messages) {
        auto content = parts_of(message);
        content["role"] = message.role == ChatMessage::Role::user ? "user" : "model";
        contents.push_back(std::move(content));
    }
    json::object body{{"contents", std::move(contents)}};
    if (!request.system.empty())
        body["systemInstruction"] = parts_of({.role = {}, .content = request.system});
    json::object settings;
    if (request.temperature && options.temperature) settings["temperature"] = *request.temperature;
    if (options.max_tokens) settings["maxOutputTokens"] = *options.max_tokens;
    if (!settings.empty()) body["generationConfig"] = std::move(settings);
    return body;
}

void read_part(const json::value& part, Answer& answer) {
    (true_at(part, "/thought") ? answer.reasoning : answer.text) += text_at(part, "/text");
    answer.asks_for_tool = answer.asks_for_tool || find_value(part, "/functionCall");
}

class GeminiAdapter : public Adapter {
public:
    net::HttpRequest chat_request(const CallTarget& target, const ChatRequest& request,
                                  const RequestOptions& options) const override {
        auto url = base_of(target) + "/" + resource_of(request.model) +
                   (options.stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
        return post_chat(std::move(url), key_header(target), body_of(request, options), request,
                         options.stream);
    }

    /// By its OpenAI-compatible side ("OpenAI compatibility").
    std::string relay_url(const CallTarget& target, RelayRoute route, std::string_view /*model*/,
                          bool /*version_path*/) const override {
        return (base_of(target) + "/openai").append(path_of(route));
    }

    net::HttpRequest models_request(const CallTarget& target, std::string_view page,
                                    const RequestOptions&) const override {
        const std::string after = page.empty() ? "" : "&" + std::string{page};
        return get_json(base_of(target) + "/models?pageSize=1000" + after, key_header(target));
    }

    ListForm list_form() const override { return {"", "after", "pageToken", "models/"}; }

protected:
    /// Also an array of answers, as a stream without `alt=sse` is.
    bool add(const json::value& value, Answer& answer) const override {
        if (const auto* const pieces = value.if_array()) {
            for (const auto& piece : *pieces) read(piece, answer, false);
            return answer.recognised;
        }
        const bool is_blocked = !text_at(value, "/promptFeedback/blockReason").empty();
        if (is_blocked) answer.finish_reason = FinishReason::filter;
        const auto* const usage = find_value(value, "/usageMetadata");
        if (usage) read_usage(*usage, answer.usage);
        const auto* const candidates = array_at(value, "/candidates");
        if (!candidates || candidates->empty()) return candidates || usage || is_blocked;
        if (answer.model.empty()) answer.model = text_at(value, "/modelVersion");
        const auto& candidate = candidates->front();
        answer.end(text_at(candidate, "/finishReason"), candidate);
        const auto* const parts = array_at(candidate, "/content/parts");
        if (parts && !answer.failure)
            for (const auto& part : *parts) read_part(part, answer);
        return true;
    }
};

} // namespace

const Adapter& gemini_adapter() {
    static const GeminiAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
