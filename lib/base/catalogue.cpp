#include "base/catalogue.hpp"

#include <algorithm>
#include <array>

namespace usershell {

namespace {

constexpr ProviderType chat_type(std::string_view value, std::string_view label, Protocol protocol,
                                 std::string_view base_url, std::string_view key_url,
                                 bool model_in_path = false) {
    return {value, label, protocol, base_url, false, true, true, false, key_url, model_in_path};
}

constexpr ProviderType search_type(std::string_view value, std::string_view label,
                                   Protocol protocol, std::string_view base_url,
                                   std::string_view key_url) {
    return {value, label, protocol, base_url, true, false, false, true, key_url};
}

// Base URLs and key pages as the providers' own documents gave them in autumn 2026. Ollama's is its
// hosted service, the one that takes a key; a machine of one's own is entered by hand and allowed
// by the operator.
constexpr auto types = std::to_array<ProviderType>({
    chat_type("openai", "OpenAI", Protocol::openai, "https://api.openai.com/v1",
              "https://platform.openai.com/api-keys"),
    chat_type("anthropic", "Anthropic", Protocol::anthropic, "https://api.anthropic.com/v1",
              "https://platform.claude.com/settings/keys"),
    chat_type("google-gemini", "Google Gemini", Protocol::gemini,
              "https://generativelanguage.googleapis.com/v1beta",
              "https://aistudio.google.com/app/apikey", true),
    chat_type("azure-openai", "Azure OpenAI", Protocol::azure_openai, "", "", true),
    chat_type("mistral", "Mistral", Protocol::openai, "https://api.mistral.ai/v1",
              "https://console.mistral.ai/api-keys"),
    chat_type("groq", "Groq", Protocol::openai, "https://api.groq.com/openai/v1",
              "https://console.groq.com/keys"),
    chat_type("deepseek", "DeepSeek", Protocol::openai, "https://api.deepseek.com",
              "https://platform.deepseek.com/api_keys"),
    chat_type("xai", "xAI", Protocol::openai, "https://api.x.ai/v1",
              "https://console.x.ai/team/default/api-keys"),
    chat_type("openrouter", "OpenRouter", Protocol::openai, "https://openrouter.ai/api/v1",
              "https://openrouter.ai/settings/keys"),
    chat_type("together", "Together AI", Protocol::openai, "https://api.together.xyz/v1",
              "https://api.together.ai/settings/api-keys"),
    chat_type("ollama", "Ollama", Protocol::ollama, "https://ollama.com",
              "https://ollama.com/settings/keys"),
    chat_type("generic-compatible", "OpenAI-compatible endpoint", Protocol::openai, "", ""),
    search_type("tavily", "Tavily", Protocol::tavily, "https://api.tavily.com",
                "https://app.tavily.com"),
    search_type("brave-search", "Brave Search", Protocol::brave_search,
                "https://api.search.brave.com/res/v1",
                "https://api-dashboard.search.brave.com/app/keys"),
    search_type("exa", "Exa", Protocol::exa, "https://api.exa.ai",
                "https://dashboard.exa.ai/api-keys"),
    search_type("serper", "Serper", Protocol::serper, "https://google.serper.dev",
                "https://serper.dev/api-key"),
    search_type("jina-reader", "Jina Reader", Protocol::jina, "https://s.jina.ai",
                "https://jina.ai/api-dashboard"),
    search_type("firecrawl", "Firecrawl", Protocol::firecrawl, "https://api.firecrawl.dev",
                "https://www.firecrawl.dev/app/api-keys"),
});

} // namespace

std::span<const ProviderType> provider_types() { return types; }

const ProviderType* find_provider_type(std::string_view value) {
    const auto* const row = std::ranges::find(types, value, &ProviderType::value);
    return row == types.end() ? nullptr : row;
}

std::string stored_base_url(const ProviderType& type, const BaseUrl& given) {
    const std::string& text = given.text();
    std::size_t end = text.size();
    if (type.protocol == Protocol::azure_openai)
        end = std::min(end, (text + "/").find("/openai/deployments/"));
    if (type.protocol == Protocol::ollama && given.path().ends_with("/v1")) end = text.rfind('/');
    return BaseUrl::parse(text.substr(0, end)).text();
}

std::string default_base_url(const ProviderType& type, const std::vector<std::string>& overrides) {
    const std::string mark = std::string{type.value} + "=";
    const auto last = std::find_if(overrides.rbegin(), overrides.rend(),
                                   [&](const auto& row) { return row.starts_with(mark); });
    if (last != overrides.rend()) return last->substr(mark.size());
    return std::string{type.default_base_url};
}

} // namespace usershell
