#include "domain/catalogue.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "domain/entered.hpp"
#include "domain/relay_routes.hpp"

#include <algorithm>
#include <array>

namespace usershell {

namespace {

// Ids and capabilities as the public catalogue https://models.dev had them in autumn 2026. A page
// adds those that the provider's own list has.
constexpr std::string_view talks = "generation,assistant,tools";
constexpr std::string_view sees = "generation,assistant,vision,tools";
constexpr std::string_view thinks = "generation,assistant,reasoning,tools";
constexpr std::string_view sees_and_thinks = "generation,assistant,reasoning,vision,tools";
constexpr std::string_view searches = "generation,assistant,search";

constexpr DefaultModel openai_models[] = {
    {"gpt-5.6", "GPT-5.6", sees_and_thinks},
    {"gpt-5.4-mini", "GPT-5.4 mini", sees_and_thinks},
    {"gpt-5.5", "GPT-5.5", sees_and_thinks},
    {"gpt-5.4", "GPT-5.4", sees_and_thinks},
    {"gpt-5-mini", "GPT-5 mini", sees_and_thinks},
};
constexpr DefaultModel anthropic_models[] = {
    {"claude-sonnet-5-5", "Claude Sonnet 5.5", sees_and_thinks},
    {"claude-haiku-5-5", "Claude Haiku 5.5", sees_and_thinks},
    {"claude-opus-5-5", "Claude Opus 5.5", sees_and_thinks},
    {"claude-sonnet-5", "Claude Sonnet 5", sees_and_thinks},
    {"claude-haiku-4-5-20251001", "Claude Haiku 4.5", sees_and_thinks},
    {"claude-opus-4-8", "Claude Opus 4.8", sees_and_thinks},
};
constexpr DefaultModel google_gemini_models[] = {
    {"gemini-3.8-flash", "Gemini 3.8 Flash", sees_and_thinks},
    {"gemini-3.1-pro-preview", "Gemini 3.1 Pro", sees_and_thinks},
    {"gemini-3.1-flash-lite", "Gemini 3.1 Flash-Lite", sees_and_thinks},
    {"gemini-3.5-flash", "Gemini 3.5 Flash", sees_and_thinks},
    {"gemini-2.5-flash", "Gemini 2.5 Flash", sees_and_thinks},
};
constexpr DefaultModel mistral_models[] = {
    {"mistral-medium-latest", "Mistral Medium", sees},
    {"mistral-large-latest", "Mistral Large", sees},
    {"mistral-small-latest", "Mistral Small", sees},
};
constexpr DefaultModel groq_models[] = {
    {"openai/gpt-oss-120b", "GPT OSS 120B", thinks},
    {"llama-3.3-70b-versatile", "Llama 3.3 70B", talks},
    {"openai/gpt-oss-20b", "GPT OSS 20B", thinks},
};
constexpr DefaultModel deepseek_models[] = {
    {"deepseek-v4-flash", "DeepSeek V4 Flash", thinks},
    {"deepseek-v4-pro", "DeepSeek V4 Pro", thinks},
    {"deepseek-chat", "DeepSeek Chat", talks},
};
constexpr DefaultModel xai_models[] = {
    {"grok-4.7", "Grok 4.7", sees_and_thinks},
    {"grok-4.3", "Grok 4.3", sees_and_thinks},
    {"grok-4.20-0309-non-reasoning", "Grok 4.20", sees},
};
constexpr DefaultModel openrouter_models[] = {
    {"anthropic/claude-sonnet-5", "Claude Sonnet 5", sees_and_thinks},
    {"openai/gpt-5.5", "GPT-5.5", sees_and_thinks},
    {"google/gemini-3.5-flash", "Gemini 3.5 Flash", sees_and_thinks},
};
constexpr DefaultModel together_models[] = {
    {"moonshotai/Kimi-K2.6", "Kimi K2.6", sees_and_thinks},
    {"deepseek-ai/DeepSeek-V4-Pro", "DeepSeek V4 Pro", thinks},
    {"openai/gpt-oss-120b", "GPT OSS 120B", thinks},
};
constexpr DefaultModel cohere_models[] = {
    {"command-a-03-2025", "Command A", talks},
    {"command-a-reasoning-08-2025", "Command A Reasoning", thinks},
};
constexpr DefaultModel perplexity_models[] = {
    {"sonar", "Sonar", searches},
    {"sonar-pro", "Sonar Pro", searches},
};
constexpr DefaultModel cerebras_models[] = {
    {"gpt-oss-120b", "GPT OSS 120B", thinks},
    {"zai-glm-4.7", "GLM 4.7", thinks},
};
constexpr DefaultModel fireworks_models[] = {
    {"accounts/fireworks/models/kimi-k2p6", "Kimi K2.6", sees_and_thinks},
    {"accounts/fireworks/models/deepseek-v4-pro", "DeepSeek V4 Pro", thinks},
    {"accounts/fireworks/models/gpt-oss-120b", "GPT OSS 120B", thinks},
};
constexpr DefaultModel hugging_face_models[] = {
    {"moonshotai/Kimi-K2.6", "Kimi K2.6", sees_and_thinks},
    {"deepseek-ai/DeepSeek-V4-Pro", "DeepSeek V4 Pro", thinks},
    {"openai/gpt-oss-120b", "GPT OSS 120B", thinks},
};
constexpr DefaultModel nvidia_models[] = {
    {"nvidia/nemotron-3-super-120b-a12b", "Nemotron 3 Super", thinks},
    {"openai/gpt-oss-120b", "GPT OSS 120B", thinks},
    {"meta/llama-3.3-70b-instruct", "Llama 3.3 70B", talks},
};
constexpr DefaultModel moonshot_models[] = {
    {"kimi-k3", "Kimi K3", sees_and_thinks},
    {"kimi-k2.6", "Kimi K2.6", sees_and_thinks},
    {"kimi-k2.5", "Kimi K2.5", sees_and_thinks},
};
constexpr DefaultModel zhipu_models[] = {
    {"glm-5.2", "GLM-5.2", thinks},
    {"glm-5.1", "GLM-5.1", thinks},
    {"glm-4.7", "GLM-4.7", thinks},
};
constexpr DefaultModel dashscope_models[] = {
    {"qwen3.7-plus", "Qwen3.7 Plus", sees_and_thinks},
    {"qwen3.7-max", "Qwen3.7 Max", thinks},
    {"qwen-plus", "Qwen Plus", talks},
};
constexpr DefaultModel siliconflow_models[] = {
    {"deepseek-ai/DeepSeek-V4-Flash", "DeepSeek V4 Flash", thinks},
    {"zai-org/GLM-5.2", "GLM-5.2", thinks},
    {"Qwen/Qwen3.6-35B-A3B", "Qwen3.6 35B", sees_and_thinks},
};
constexpr DefaultModel ollama_models[] = {
    {"gpt-oss:120b", "GPT OSS 120B", thinks},
    {"glm-5.2", "GLM-5.2", thinks},
    {"deepseek-v4-pro", "DeepSeek V4 Pro", thinks},
};

constexpr ProviderType chat_type(std::string_view value, std::string_view label, Protocol protocol,
                                 std::string_view base_url, std::string_view key_url,
                                 std::span<const DefaultModel> models, bool model_in_path = false) {
    return {value, label, protocol, base_url,      false, true,
            true,  false, key_url,  model_in_path, false, models};
}

constexpr ProviderType optional_key(ProviderType type) {
    type.key_optional = true;
    return type;
}

/// A self-hosted server: its URL is entered by hand, and allowed by the operator.
constexpr ProviderType own_server(std::string_view value, std::string_view label) {
    return optional_key(chat_type(value, label, Protocol::openai, "", "", {}));
}

constexpr ProviderType without_list(ProviderType type) {
    type.lists_models = false;
    return type;
}

constexpr ProviderType search_type(std::string_view value, std::string_view label,
                                   Protocol protocol, std::string_view base_url,
                                   std::string_view key_url) {
    return {value, label, protocol, base_url, true, false, false, true, key_url};
}

// The five best known first. Base URLs and key pages as the providers' own documents gave them in
// autumn 2026. Ollama's is its hosted service, the one that takes a key; a machine of one's own is
// entered by hand and allowed by the operator.
constexpr auto types = std::to_array<ProviderType>({
    chat_type("openai", "OpenAI", Protocol::openai, "https://api.openai.com/v1",
              "https://platform.openai.com/api-keys", openai_models),
    chat_type("anthropic", "Anthropic", Protocol::anthropic, "https://api.anthropic.com/v1",
              "https://platform.claude.com/settings/keys", anthropic_models),
    chat_type("google-gemini", "Google Gemini", Protocol::gemini,
              "https://generativelanguage.googleapis.com/v1beta",
              "https://aistudio.google.com/app/apikey", google_gemini_models, true),
    chat_type("openrouter", "OpenRouter", Protocol::openai, "https://openrouter.ai/api/v1",
              "https://openrouter.ai/settings/keys", openrouter_models),
    chat_type("deepseek", "DeepSeek", Protocol::openai, "https://api.deepseek.com",
              "https://platform.deepseek.com/api_keys", deepseek_models),
    chat_type("azure-openai", "Azure OpenAI", Protocol::azure_openai, "", "", {}, true),
    chat_type("mistral", "Mistral", Protocol::openai, "https://api.mistral.ai/v1",
              "https://console.mistral.ai/api-keys", mistral_models),
    chat_type("groq", "Groq", Protocol::openai, "https://api.groq.com/openai/v1",
              "https://console.groq.com/keys", groq_models),
    chat_type("xai", "xAI", Protocol::openai, "https://api.x.ai/v1",
              "https://console.x.ai/team/default/api-keys", xai_models),
    chat_type("together", "Together AI", Protocol::openai, "https://api.together.xyz/v1",
              "https://api.together.ai/settings/api-keys", together_models),
    without_list(chat_type("cohere", "Cohere", Protocol::openai,
                           "https://api.cohere.ai/compatibility/v1",
                           "https://dashboard.cohere.com/api-keys", cohere_models)),
    without_list(chat_type("perplexity", "Perplexity", Protocol::openai,
                           "https://api.perplexity.ai",
                           "https://www.perplexity.ai/account/api/keys", perplexity_models)),
    chat_type("cerebras", "Cerebras", Protocol::openai, "https://api.cerebras.ai/v1",
              "https://cloud.cerebras.ai", cerebras_models),
    chat_type("fireworks", "Fireworks AI", Protocol::openai,
              "https://api.fireworks.ai/inference/v1",
              "https://app.fireworks.ai/settings/users/api-keys", fireworks_models),
    chat_type("hugging-face", "Hugging Face", Protocol::openai, "https://router.huggingface.co/v1",
              "https://huggingface.co/settings/tokens", hugging_face_models),
    chat_type("nvidia", "NVIDIA NIM", Protocol::openai, "https://integrate.api.nvidia.com/v1",
              "https://build.nvidia.com/settings/api-keys", nvidia_models),
    chat_type("moonshot", "Moonshot AI", Protocol::openai, "https://api.moonshot.ai/v1",
              "https://platform.moonshot.ai/console/api-keys", moonshot_models),
    chat_type("zhipu", "Zhipu AI", Protocol::openai, "https://api.z.ai/api/paas/v4",
              "https://z.ai/manage-apikey/apikey-list", zhipu_models),
    chat_type("dashscope", "DashScope (Qwen)", Protocol::openai,
              "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
              "https://modelstudio.console.alibabacloud.com", dashscope_models),
    chat_type("siliconflow", "SiliconFlow", Protocol::openai, "https://api.siliconflow.com/v1",
              "https://cloud.siliconflow.com/account/ak", siliconflow_models),
    optional_key(chat_type("ollama", "Ollama", Protocol::ollama, "https://ollama.com",
                           "https://ollama.com/settings/keys", ollama_models)),
    own_server("lm-studio", "LM Studio"),
    own_server("llama-cpp", "llama.cpp"),
    own_server("vllm", "vLLM"),
    own_server("generic-compatible", "OpenAI-compatible endpoint"),
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

// Of routes without a version before them. Longer endings come before shorter ones that they end
// with.
constexpr auto endings = std::to_array<std::string_view>(
    {"/chat/completions", "/completions", "/messages", "/responses", "/embeddings", "/models",
     "/images/generations", "/audio/speech", "/rerank", "/api/chat", "/api/generate", "/api/tags",
     "/api/show", "/api/embed", ":generateContent", ":streamGenerateContent"});

/// The beginning of a route behind a version: "/v1/images/generations".
constexpr auto route_names = std::to_array<std::string_view>(
    {"chat", "completions", "messages", "responses", "embeddings", "models", "images", "audio",
     "moderations", "rerank", "files", "batches", "fine_tuning", "assistants", "threads", "uploads",
     "vector_stores", "realtime", "videos"});

/// Azure's model inference API has its routes below "/models" ("Azure AI Model Inference").
bool is_azure_inference(const ProviderType& type, const BaseUrl& url) {
    return type.protocol == Protocol::openai && url.host().ends_with(".services.ai.azure.com") &&
           url.path() == "/models";
}

/// Without segments that have no name ("//v1") and without a version behind a version.
std::string plain_path(std::string_view path) {
    std::string plain;
    std::string_view before;
    for_each_piece(path, '/', [&](std::string_view segment) {
        if (segment.empty() || (is_version(segment) && is_version(before))) return;
        plain.append("/").append(segment);
        before = segment;
    });
    return plain;
}

/// Behind the last segment that is a version; 0 when there is none.
std::size_t end_of_version(std::string_view path) {
    std::size_t end = 0;
    for (std::size_t at = 0; at < path.size();) {
        const auto next = std::min(path.find('/', at + 1), path.size());
        if (is_version(path.substr(at + 1, next - at - 1))) end = next;
        at = next;
    }
    return end;
}

/// The path without a route at its end, which no base URL has. Letters of any case are the same.
std::string before_route(const std::string& written) {
    const std::string path = lower_ascii(written);
    const auto again = path.find("/chat/completions/"); // pasted behind a route
    if (again != std::string::npos) return written.substr(0, again);
    const auto end = end_of_version(written);
    const auto behind = path.substr(end);
    const auto first = behind.substr(0, behind.find('/', 1));
    const bool is_route = end > 0 && !behind.empty() &&
                          std::ranges::find(route_names, first.substr(1)) != route_names.end();
    if (is_route) return written.substr(0, end);
    const auto* const ending =
        std::ranges::find_if(endings, [&](auto each) { return path.ends_with(lower_ascii(each)); });
    if (ending == endings.end()) return written;
    // Gemini's routes begin with the model.
    const bool is_method = ending->front() == ':';
    return written.substr(0, is_method ? path.rfind("/models/") : path.size() - ending->size());
}

/// The path of the API that the type speaks, where one host has two.
std::string own_path(const ProviderType& type, const BaseUrl& url) {
    const std::string& path = url.path();
    constexpr std::string_view openai = "/openai";
    const bool is_gemini = type.protocol == Protocol::gemini;
    if (is_gemini && path.ends_with(openai)) return path.substr(0, path.size() - openai.size());
    if (type.protocol == Protocol::ollama) return path.substr(0, (path + "/").rfind("/api/"));
    if (type.protocol != Protocol::openai) return path;
    const bool is_googles = url.host() == "generativelanguage.googleapis.com";
    if (is_googles && path.find(openai) == std::string::npos) return "/v1beta/openai";
    const auto deployment =
        url.host().ends_with(".azure.com") ? path.find("/openai/deployments") : std::string::npos;
    return deployment == std::string::npos ? path : path.substr(0, deployment) + "/openai/v1";
}

/// Google's other API of the same models, whose paths are others.
bool is_vertex(const ProviderType& type, const BaseUrl& url) {
    return type.protocol == Protocol::gemini && url.host().ends_with(".googleapis.com") &&
           url.host().find("aiplatform") != std::string::npos;
}

/// Is it another part of a provider than the API at `base`: the page where keys are made, or a part
/// of the base URL's path ("/v1" of "/openai/v1")? The latter only for OpenAI's protocol: the
/// adapters of the others add the path themselves.
bool is_beside(const ProviderType& row, const BaseUrl& base, const BaseUrl& given) {
    const std::string& path = given.path();
    if (given.origin() != base.origin())
        return !row.key_url.empty() && given.host() == BaseUrl::parse(row.key_url).host() &&
               path != base.path();
    const bool is_part = base.path().size() > path.size() &&
                         (base.path().starts_with(path + "/") || base.path().ends_with(path));
    return given.text() == row.key_url || (row.protocol == Protocol::openai && is_part);
}

/// The base URL of the type, which the given one is beside. A type of people's own servers has
/// none: then that of another type of its protocol.
std::optional<std::string> base_url_beside(const ProviderType& type, const std::string& own,
                                           const BaseUrl& given) {
    if (!own.empty() && is_beside(type, BaseUrl::parse(own), given)) return own;
    for (const ProviderType& row : types)
        if (row.protocol == type.protocol && type.default_base_url.empty() &&
            !row.default_base_url.empty() &&
            is_beside(row, BaseUrl::parse(row.default_base_url), given))
            return std::string{row.default_base_url};
    return std::nullopt;
}

} // namespace

std::span<const ProviderType> provider_types() { return types; }

const ProviderType* find_provider_type(std::string_view value) {
    const auto* const row = std::ranges::find(types, value, &ProviderType::value);
    return row == types.end() ? nullptr : row;
}

std::string stored_base_url(const ProviderType& type, const BaseUrl& given) {
    constexpr std::string_view version = "/v1";
    BaseUrl url = given;
    // An API of DeepSeek's is beside "/v1", which its documents allow and give no meaning.
    const bool is_beside = !root_of(type, RelayRoute::messages).empty() &&
                           url.text() == std::string{type.default_base_url}.append(version);
    while ((type.protocol == Protocol::ollama || is_beside) && url.path().ends_with(version))
        url = BaseUrl::parse(url.text().substr(0, url.text().size() - version.size()));
    const auto in_path = (url.path() + "/").find("/openai/deployments/");
    if (type.protocol != Protocol::azure_openai || in_path == std::string::npos) return url.text();
    const auto path = url.text().size() - url.path().size();
    return BaseUrl::parse(url.text().substr(0, path + in_path)).text();
}

bool is_version(std::string_view segment) {
    return segment.size() >= 2 && segment[0] == 'v' && is_digit(segment[1]) &&
           std::ranges::all_of(segment, [](char c) { return is_alphanumeric(c) || c == '.'; });
}

std::span<const std::string_view> pasted_endings() { return endings; }

std::optional<std::string> base_url_in(const ProviderType& type,
                                       const std::string& default_base_url,
                                       std::string_view given) try {
    const std::string address = address_in_paste(given);
    if (address != given) {
        if (auto better = base_url_in(type, default_base_url, address)) return better;
        const std::string stored = stored_base_url(type, BaseUrl::parse(address));
        return base_url_in(type, default_base_url, stored).value_or(stored); // "%2e" was "."
    }
    const auto plain = given.substr(0, given.find_first_of("?#"));
    const BaseUrl url = BaseUrl::parse(plain);
    if (is_vertex(type, url)) return default_base_url;
    if (auto base = base_url_beside(type, default_base_url, url)) return base;
    const auto origin = url.text().substr(0, url.text().size() - url.path().size());
    const bool is_inference = is_azure_inference(type, url);
    const auto path = is_inference ? url.path() : before_route(plain_path(own_path(type, url)));
    const bool is_whole = plain.size() == given.size();
    const bool is_stored_cut = stored_base_url(type, url) != url.text() && is_whole;
    if ((path == url.path() && is_whole) || is_stored_cut) return std::nullopt;
    const std::string shorter = stored_base_url(type, BaseUrl::parse(origin + path));
    return base_url_in(type, default_base_url, shorter).value_or(shorter);
} catch (const Refusal&) {
    return std::nullopt;
}

std::string default_base_url(const ProviderType& type, const std::vector<std::string>& overrides) {
    const std::string mark = std::string{type.value} + "=";
    const auto last = std::find_if(overrides.rbegin(), overrides.rend(),
                                   [&](const auto& row) { return row.starts_with(mark); });
    if (last != overrides.rend()) return last->substr(mark.size());
    return std::string{type.default_base_url};
}

} // namespace usershell
