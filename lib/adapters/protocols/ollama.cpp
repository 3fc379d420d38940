// Ollama: chat by its OpenAI-compatible side, the list by its own, which knows what is installed.
// The base URL is the root of both (stored_base_url() of domain/catalogue.hpp). Sources: Ollama
// documentation, "OpenAI compatibility" and "List models" (/api/tags), "Show model details".
#include "adapters/protocols/openai.hpp"

namespace usershell::adapters {

namespace {

class OllamaAdapter : public OpenAiAdapter {
public:
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
