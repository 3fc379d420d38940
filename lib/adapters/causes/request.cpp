// Errors about the request: its model, length or content. Another key would not help.
#include "adapters/causes/causes.hpp"
#include "adapters/causes/sources.hpp"

#include <array>

namespace usershell::adapters {

namespace {

using namespace sources;
constexpr auto wrong_api = Reason::wrong_api;
constexpr auto unknown = Reason::unknown_model;
constexpr auto too_long = Reason::too_long;
constexpr auto policy = Reason::policy;
constexpr auto tokens = Reason::too_many_tokens;

constexpr auto rows = std::to_array<Cause>({
    {"OpenAI", 0, "", "only supported in v1/responses", wrong_api, openai},
    {"OpenAI", 0, "", "not a chat model", wrong_api, openai},
    {"OpenAI", 0, "", "not supported in the v1/chat/completions", wrong_api, openai},
    {"Azure", 0, "operationnotsupported", "", wrong_api, azure},
    {"Mistral", 0, "", "not a chat model", wrong_api, mistral},
    {"Groq", 0, "", "does not support chat completions", wrong_api, groq},
    {"Zhipu", 0, "1212", "", wrong_api, zhipu},
    {"vLLM", 0, "", "does not support chat completions api", wrong_api, vllm},
    {"Ollama", 0, "", "does not support chat", wrong_api, ollama},
    {"LM Studio", 0, "", "unexpected endpoint or method", Reason::not_this_protocol, lm_studio},
    {"OpenAI", 0, "", "max*tokens*is too large", tokens, openai},
    {"Anthropic", 0, "", "maximum allowed number of output tokens", tokens, anthropic},
    {"Groq", 0, "", "max*tokens*must be less than or equal to", tokens, groq},
    {"DeepSeek", 0, "", "range of max_tokens", tokens, deepseek},
    {"OpenAI", 0, "context_length_exceeded", "", too_long, openai},
    {"OpenAI", 0, "string_above_max_length", "", too_long, openai},
    {"OpenAI", 429, "", "request too large", too_long, openai},
    {"Groq", 413, "", "tokens per", too_long, groq},
    {"Anthropic", 0, "request_too_large", "", too_long, anthropic},
    {"Anthropic", 0, "", "prompt is too long", too_long, anthropic},
    {"Anthropic", 0, "", "exceed context limit", too_long, anthropic},
    {"Gemini", 0, "", "exceeds the maximum number of tokens", too_long, gemini},
    {"Together", 0, "", "tokens*must be <=", too_long, together},
    {"Mistral", 0, "", "too large for model", too_long, mistral},
    {"Cohere", 400, "", "too many tokens", too_long, cohere},
    {"Moonshot", 0, "", "exceeded model token limit", too_long, moonshot},
    {"Moonshot", 0, "", "token length too long", too_long, moonshot},
    {"Zhipu", 0, "1261", "", too_long, zhipu},
    {"DashScope", 0, "", "range of input length", too_long, dashscope},
    {"DashScope", 0, "badrequest.toolarge", "", too_long, dashscope},
    {"SiliconFlow", 0, "", "less than max_seq_len", too_long, siliconflow},
    {"GitHub", 0, "tokens_limit_reached", "", too_long, github},
    {"llama.cpp", 0, "exceed_context_size_error", "", too_long, llama_cpp},
    {"LiteLLM", 0, "", "contextwindowexceedederror", too_long, litellm},
    {"LM Studio", 0, "", "context*overflow", too_long, lm_studio},
    {"several", 0, "", "input is too long", too_long, fireworks},
    {"several", 0, "", "maximum context length", too_long, openai},
    {"several", 0, "", "context length", too_long, together},
    {"several", 0, "", "context window", too_long, litellm},
    {"several", 0, "", "context size", too_long, llama_cpp},
    {"several", 413, "", "token", too_long, groq},
    {"several", 413, "", "prompt", too_long, anthropic},
    {"several", 413, "", "context", too_long, litellm},
    {"OpenAI", 0, "content_policy_violation", "", policy, openai},
    {"OpenAI", 0, "moderation_blocked", "", policy, openai},
    {"OpenAI", 0, "", "usage policies", policy, openai},
    {"OpenAI", 0, "", "safety system", policy, openai},
    {"Anthropic", 0, "", "blocked by content filtering policy", policy, anthropic},
    {"Azure", 0, "content_filter", "", policy, azure},
    {"Azure", 0, "responsibleaipolicyviolation", "", policy, azure},
    {"Azure", 0, "", "content management policy", policy, azure},
    {"xAI", 0, "", "violates usage guidelines", policy, xai},
    {"OpenRouter", 0, "", "flagged", policy, openrouter},
    {"Moonshot", 0, "", "considered high risk", policy, moonshot},
    {"Zhipu", 0, "1301", "", policy, zhipu},
    {"DashScope", 0, "datainspectionfailed", "", policy, dashscope},
    {"DashScope", 0, "data_inspection_failed", "", policy, dashscope},
    {"DeepSeek", 0, "", "content exists risk", policy, deepseek},
    {"MiniMax", 0, "1026", "", policy, minimax},
    {"MiniMax", 0, "1027", "", policy, minimax},
    {"Cohere", 498, "", "blocked", policy, cohere},
    {"new-api", 0, "sensitive_words_detected", "", policy, new_api},
    {"several", 0, "", "content policy", policy, openai},
    {"OpenAI", 0, "model_not_found", "", unknown, openai},
    {"Anthropic", 0, "not_found_error", "model", unknown, anthropic},
    {"Azure", 0, "deploymentnotfound", "", unknown, azure},
    {"Mistral", 0, "invalid_model", "", unknown, mistral},
    {"Groq", 0, "model_decommissioned", "", unknown, groq},
    {"Together", 0, "model_not_available", "", unknown, together},
    {"OpenRouter", 0, "", "no endpoints found", unknown, openrouter},
    {"OpenRouter", 0, "", "not a valid model", unknown, openrouter},
    {"OpenRouter", 0, "", "no allowed providers", unknown, openrouter},
    {"Hugging Face", 0, "model_not_supported", "", unknown, hugging_face},
    {"NVIDIA", 404, "", "not found for account", unknown, nvidia},
    {"Moonshot", 0, "", "not found the model", unknown, moonshot},
    {"Zhipu", 0, "1211", "", unknown, zhipu},
    {"SiliconFlow", 0, "20012", "", unknown, siliconflow},
    {"GitHub", 0, "unknown_model", "", unknown, github},
    {"LiteLLM", 0, "", "invalid model", unknown, litellm},
    {"LM Studio", 0, "", "no models loaded", unknown, lm_studio},
    {"LM Studio", 0, "", "failed to load model", unknown, lm_studio},
    {"DeepSeek", 0, "", "model not exist", unknown, deepseek},
    {"Gemini", 0, "", "unexpected model name", unknown, gemini},
    {"several", 0, "", "no such model", unknown, ollama},
    {"several", 0, "", "unknown model", unknown, github},
    {"several", 0, "", "model*not found", unknown, ollama},
    {"several", 0, "", "model*does not exist", unknown, openai},
});

} // namespace

std::span<const Cause> request_causes() { return rows; }

} // namespace usershell::adapters
