// Ollama: chat by its OpenAI-compatible side, the list by its own, which knows what is installed.
// The base URL is the root of both (stored_base_url() of domain/catalogue.hpp). Sources: Ollama
// documentation, "OpenAI compatibility" and "List models" (/api/tags), "Show model details".
#include "adapters/protocols/openai.hpp"

namespace usershell::adapters {

namespace {

std::string capabilities_of(const json::value& model) {
    Capabilities words;
    const auto* const told = array_at(model, "/capabilities");
    for (const auto& word : told ? *told : json::array{}) {
        const auto text = text_at(word, "");
        words.add("generation", text == "completion");
        words.add("assistant", text == "completion");
        words.add("reasoning", text == "thinking");
        words.add("vision", text == "vision");
        words.add("tools", text == "tools");
        words.add("embedding", text == "embedding");
    }
    return std::move(words).text();
}

class OllamaAdapter : public OpenAiAdapter {
public:
    std::optional<std::string> read_models(const json::value& value,
                                           ModelList& models) const override {
        return read_list(value, {capabilities_of}, models);
    }

    std::string relay_url(const CallTarget& target, RelayRoute route, std::string_view model,
                          bool /*version_path*/) const override {
        return OpenAiAdapter::relay_url(target, route, model, true);
    }

protected:
    std::string models_url(const CallTarget& target, const RequestOptions&) const override {
        return target.base_url.text() + "/api/tags";
    }
};

} // namespace

const Adapter& ollama_adapter() {
    static const OllamaAdapter adapter;
    return adapter;
}

} // namespace usershell::adapters
