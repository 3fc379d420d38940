#include "adapters/protocols/openai.hpp"

#include "base/ascii.hpp"

#include <algorithm>

namespace usershell::adapters {

namespace {

bool holds(const json::value& value, std::string_view pointer, std::string_view word) {
    const auto* const words = array_at(value, pointer);
    return words && std::ranges::any_of(*words, [&](const json::value& each) {
               return each.is_string() && std::string_view{each.get_string()} == word;
           });
}

/// Capabilities, from the lists that have them: Mistral's `capabilities`, Together's `type`,
/// OpenRouter's modalities.
std::string capabilities_of(const json::value& model) {
    const auto type = text_at(model, "/type");
    const bool chats = true_at(model, "/capabilities/completion_chat") || type == "chat" ||
                       holds(model, "/architecture/output_modalities", "text");
    Capabilities words;
    words.add("generation", chats || type == "language");
    words.add("assistant", chats);
    words.add("reasoning", holds(model, "/supported_parameters", "reasoning") ||
                               true_at(model, "/capabilities/reasoning"));
    words.add("vision", true_at(model, "/capabilities/vision") ||
                            holds(model, "/architecture/input_modalities", "image"));
    words.add("tools", true_at(model, "/capabilities/function_calling") ||
                           holds(model, "/supported_parameters", "tools"));
    words.add("image", type == "image" || holds(model, "/architecture/output_modalities", "image"));
    for (const auto* const word : {"code", "embedding", "rerank", "audio", "video", "moderation"})
        words.add(word, type == word);
    return std::move(words).text();
}

/// The array of models: the whole value, or in one of these places.
const json::array* list_of(const json::value& value) {
    if (value.is_array()) return value.if_array();
    for (const auto* const pointer : {"/data", "/models", "/data/data", "/data/models", "/result",
                                      "/result/data", "/result/models", "/items"})
        if (const auto* const list = array_at(value, pointer)) return list;
    return nullptr;
}

/// A model by its id, else its name; some lists are of bare strings.
void add_model(const json::value& model, ModelList& models) {
    const auto name = text_at(model, "/name");
    const auto id = text_at(model, "/id");
    const auto display = text_at(model, "/display_name");
    if (model.is_string())
        models.add(text_at(model, ""), {}, {});
    else
        models.add(id.empty() ? name : id, display.empty() ? name : display,
                   capabilities_of(model));
}

/// The parameter that asks for the next page: gateways use Anthropic's way or a page token.
std::string next_page(const json::value& value) {
    const auto last = text_at(value, "/last_id");
    if (true_at(value, "/has_more") && !last.empty()) return "after=" + percent_encoded(last);
    for (const auto* const pointer : {"/next_page_token", "/nextPageToken"})
        if (const auto token = text_at(value, pointer); !token.empty())
            return "page_token=" + percent_encoded(token);
    return {};
}

} // namespace

std::optional<std::string> OpenAiAdapter::read_models(const json::value& value,
                                                      ModelList& models) const {
    const auto* const list = list_of(value);
    if (!list) return std::nullopt;
    for (const auto& model : *list) add_model(model, models);
    return next_page(value);
}

} // namespace usershell::adapters
