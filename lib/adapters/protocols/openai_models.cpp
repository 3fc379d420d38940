#include "adapters/protocols/openai.hpp"

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

} // namespace

std::optional<std::string> OpenAiAdapter::read_models(const json::value& value,
                                                      ModelList& models) const {
    return read_list(value, {capabilities_of}, models);
}

} // namespace usershell::adapters
