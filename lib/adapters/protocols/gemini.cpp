// Google's Gemini API: the model is in the path, roles are "user" and "model", and a stream
// (`alt=sse`) has no last word but a finish reason. Parts with `thought` are the model's reasoning.
// Sources: Google AI for Developers, API reference: "Generating content" (generateContent,
// streamGenerateContent, FinishReason, PromptFeedback, Part, Blob) and "Models" (models.list).
#include "adapters/adapter.hpp"
#include "adapters/numbers.hpp"
#include "base/ascii.hpp"

#include <algorithm>
#include <array>

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

std::string chat_url(const CallTarget& target, const ChatRequest& request,
                     const RequestOptions& options) {
    return base_of(target) + "/" + resource_of(request.model) +
           (options.stream ? ":streamGenerateContent?alt=sse" : ":generateContent");
}

json::object text_part(std::string_view text) {
    return {{"parts", json::array{json::object{{"text", text}}}}};
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
    if (!request.system.empty()) body["systemInstruction"] = text_part(request.system);
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

/// Tokens of the reasoning are not in the answer's, but counted separately.
void read_usage(const json::value& usage, Answer& answer) {
    const auto thoughts = count_at(usage, "/thoughtsTokenCount");
    const auto output = count_at(usage, "/candidatesTokenCount");
    if (const auto input = count_at(usage, "/promptTokenCount")) answer.usage.input = input;
    if (output || thoughts) answer.usage.output = sum_of(output.value_or(0), thoughts.value_or(0));
    if (thoughts) answer.usage.reasoning = thoughts;
}

void read(const json::value& value, Answer& answer) {
    if (is_provider_error(value)) {
        answer.fail(value);
        return;
    }
    if (!text_at(value, "/promptFeedback/blockReason").empty()) {
        answer.recognised = true;
        answer.finish_reason = FinishReason::filter;
    }
    const auto* const candidates = array_at(value, "/candidates");
    const auto* const usage = find_value(value, "/usageMetadata");
    if (usage) read_usage(*usage, answer);
    if (candidates || usage)
        answer.recognised = true;
    else if (!answer.recognised && tells_failure(value))
        answer.fail(value);
    if (!candidates || candidates->empty()) return;
    if (answer.model.empty()) answer.model = text_at(value, "/modelVersion");
    const auto& candidate = candidates->front();
    answer.end(text_at(candidate, "/finishReason"), candidate);
    if (answer.failure) return;
    if (const auto* const parts = array_at(candidate, "/content/parts"))
        for (const auto& part : *parts) read_part(part, answer);
}

std::string capabilities_of(const json::value& model) {
    Capabilities words;
    const auto* const methods = array_at(model, "/supportedGenerationMethods");
    for (const auto& method : methods ? *methods : json::array{}) {
        const auto name = text_at(method, "");
        words.add("generation", name == "generateContent");
        words.add("assistant", name == "generateContent");
        words.add("embedding", name == "embedContent");
    }
    words.add("reasoning", true_at(model, "/thinking"));
    return std::move(words).text();
}

class GeminiAdapter : public Adapter {
public:
    net::HttpRequest chat_request(const CallTarget& target, const ChatRequest& request,
                                  const RequestOptions& options) const override {
        return post_chat(chat_url(target, request, options), key_header(target),
                         body_of(request, options), request, options.stream);
    }

    void read_event(const json::value& event, Answer& answer) const override {
        read(event, answer);
    }

    /// Also an array of answers, as a stream without `alt=sse` is.
    void read_whole(const json::value& value, Answer& answer) const override {
        if (const auto* const pieces = value.if_array())
            for (const auto& piece : *pieces) read(piece, answer);
        else
            read(value, answer);
        answer.complete();
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

    std::optional<std::string> read_models(const json::value& value,
                                           ModelList& models) const override {
        return read_list(value, {capabilities_of, "after", "pageToken", "models/"}, models);
    }
};

} // namespace

const Adapter& gemini_adapter() {
    static const GeminiAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
