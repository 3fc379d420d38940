#include "domain/relay_routes.hpp"

#include <algorithm>
#include <array>

namespace usershell {
namespace {

constexpr auto routes = std::to_array<RelayRouteRow>({
    {RelayRoute::chat, "/chat/completions", "chat"},
    {RelayRoute::completions, "/completions", "completions"},
    {RelayRoute::embeddings, "/embeddings", "embeddings"},
    {RelayRoute::responses, "/responses", "responses"},
    {RelayRoute::compact, "/responses/compact", "responses"},
    {RelayRoute::messages, "/messages", "messages"},
    {RelayRoute::count_tokens, "/messages/count_tokens", "messages"},
    {RelayRoute::images, "/images/generations", "images"},
    {RelayRoute::speech, "/audio/speech", "speech"},
    {RelayRoute::rerank, "/rerank", "rerank"},
});

constexpr unsigned chat = bit_of(RelayRoute::chat);
constexpr unsigned completions = bit_of(RelayRoute::completions);
constexpr unsigned embeddings = bit_of(RelayRoute::embeddings);
constexpr unsigned responses = bit_of(RelayRoute::responses);
constexpr unsigned compact = bit_of(RelayRoute::compact);
constexpr unsigned messages = bit_of(RelayRoute::messages);
constexpr unsigned count_tokens = bit_of(RelayRoute::count_tokens);
constexpr unsigned images = bit_of(RelayRoute::images);
constexpr unsigned speech = bit_of(RelayRoute::speech);
constexpr unsigned rerank = bit_of(RelayRoute::rerank);
constexpr unsigned texts = chat | completions | embeddings;

struct TypeRow {
    std::string_view type;
    unsigned routes;
    std::string_view messages_root = {};
};

// As the providers' references had them in November 2026.
constexpr auto type_rows = std::to_array<TypeRow>({
    // OpenAI API reference: Chat, Completions, Embeddings, Responses, "Compact a response",
    // "Create image", "Create speech"
    {"openai", texts | responses | compact | images | speech},
    // Claude API reference: "Create a Message", "Count tokens in a Message"
    {"anthropic", messages | count_tokens},
    // Gemini API, "OpenAI compatibility"
    {"google-gemini", chat | embeddings | images},
    // OpenRouter API reference: Chat, Completions, Embeddings, Responses, Anthropic Messages,
    // Speech, Rerank
    {"openrouter", texts | responses | messages | speech | rerank},
    // DeepSeek API Docs: "Create Chat Completion", "Create FIM Completion" (base URL with /beta),
    // "Anthropic API"
    {"deepseek", chat | completions | messages, "/anthropic/v1"},
    // Microsoft Learn, Azure OpenAI REST API reference; v1: "Create a response", "Compact a
    // conversation"; speech is a preview alone
    {"azure-openai", texts | responses | compact | images},
    // Mistral API: Chat, Embeddings
    {"mistral", chat | embeddings},
    // GroqDocs, API reference: Chat, Responses, "Create speech"
    {"groq", chat | responses | speech},
    // xAI REST API reference; its Messages are deprecated
    {"xai", chat | responses | images},
    // Together API reference: Chat, Completion, Embeddings, Images, Audio, Rerank
    {"together", texts | images | speech | rerank},
    // Cohere, "Using Cohere models via the OpenAI SDK"
    {"cohere", chat | embeddings},
    // Perplexity: Chat Completions; "Agent API", OpenAI compatibility
    {"perplexity", chat | responses},
    // Cerebras Inference API reference: Chat Completions, Completions
    {"cerebras", chat | completions},
    // Fireworks API reference: Chat, Completions, Embeddings, Responses, Rerank; "Anthropic
    // compatibility"
    {"fireworks", texts | responses | messages | rerank},
    // Hugging Face, Inference Providers: "Chat Completion", "Responses API (beta)"
    {"hugging-face", chat | responses},
    // NVIDIA NIM API reference, "LLM APIs" and "Retrieval APIs"; Responses of gpt-oss
    {"nvidia", texts | responses},
    // Kimi API: "Chat"; "Use Kimi in ClaudeCode"
    {"moonshot", chat | messages},
    // Zhipu and Z.AI API reference: "Chat Completion", "Embedding", "Image Generation", "Text to
    // Speech", "Rerank"; "Claude API compatibility"
    {"zhipu", chat | embeddings | messages | images | speech | rerank},
    // Alibaba Cloud Model Studio: OpenAI-compatible Chat, Completions, Embedding, Responses;
    // "Anthropic API compatibility"
    {"dashscope", texts | responses | messages},
    // SiliconFlow API reference: Chat Completions (OpenAI, Anthropic), Completions, Embeddings,
    // Images, Speech, Rerank
    {"siliconflow", texts | messages | images | speech | rerank},
    // Ollama: "OpenAI compatibility"; "Anthropic compatibility" (it counts no tokens)
    {"ollama", texts | responses | messages | images | speech},
    // LM Studio: "OpenAI Compatible Endpoints", "Anthropic Compatible Endpoints"
    {"lm-studio", texts | responses | messages},
    // llama.cpp, tools/server/README.md
    {"llama-cpp", texts | responses | messages | count_tokens | rerank},
    // vLLM, "Online Serving"
    {"vllm", texts | responses | messages | count_tokens | rerank},
    // A server of any kind: its own answers show its routes.
    {"generic-compatible",
     texts | responses | compact | messages | count_tokens | images | speech | rerank},
});

/// Providers whose Messages are beside the base URL that their documents give for chats.
struct BesideRow {
    std::string_view base_url;
    std::string_view messages;
};
constexpr auto beside_rows = std::to_array<BesideRow>({
    {"https://api.moonshot.ai/v1", "https://api.moonshot.ai/anthropic/v1"},
    {"https://api.moonshot.cn/v1", "https://api.moonshot.cn/anthropic/v1"},
    {"https://api.z.ai/api/paas/v4", "https://api.z.ai/api/anthropic/v1"},
    {"https://api.z.ai/api/coding/paas/v4", "https://api.z.ai/api/anthropic/v1"},
    {"https://open.bigmodel.cn/api/paas/v4", "https://open.bigmodel.cn/api/anthropic/v1"},
    {"https://open.bigmodel.cn/api/coding/paas/v4", "https://open.bigmodel.cn/api/anthropic/v1"},
    {"https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
     "https://dashscope-intl.aliyuncs.com/apps/anthropic/v1"},
    {"https://dashscope.aliyuncs.com/compatible-mode/v1",
     "https://dashscope.aliyuncs.com/apps/anthropic/v1"},
    {"https://api.minimax.io/v1", "https://api.minimax.io/anthropic/v1"},
    {"https://api.minimaxi.com/v1", "https://api.minimaxi.com/anthropic/v1"},
});

const TypeRow* find_row(const ProviderType& type) {
    const auto* const row = std::ranges::find(type_rows, type.value, &TypeRow::type);
    return row == type_rows.end() ? nullptr : row;
}

} // namespace

std::span<const RelayRouteRow> relay_routes() { return routes; }

std::string_view path_of(RelayRoute route) { return routes[static_cast<std::size_t>(route)].path; }

std::string_view word_of(RelayRoute route) { return routes[static_cast<std::size_t>(route)].word; }

bool has_route(const ProviderType& type, RelayRoute route) {
    const TypeRow* const row = find_row(type);
    return row != nullptr && (row->routes & bit_of(route)) != 0;
}

std::string_view root_of(const ProviderType& type, RelayRoute route) {
    const TypeRow* const row = find_row(type);
    const bool has_own = row != nullptr && is_part_of(route, RelayRoute::messages);
    return has_own ? row->messages_root : std::string_view{};
}

std::string route_base(const ProviderType& type, RelayRoute route, const BaseUrl& base_url) {
    const auto* const row = std::ranges::find(beside_rows, base_url.text(), &BesideRow::base_url);
    if (row != beside_rows.end() && is_part_of(route, RelayRoute::messages))
        return std::string{row->messages};
    return base_url.text() + std::string{root_of(type, route)};
}

} // namespace usershell
