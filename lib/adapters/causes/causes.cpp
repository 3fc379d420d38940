#include "adapters/causes/causes.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

/// The documents that the table is from, as of autumn 2026.
namespace sources {
constexpr std::string_view anthropic = "docs.claude.com: Errors";
constexpr std::string_view azure =
    "learn.microsoft.com: Azure OpenAI REST API reference, Content filtering";
constexpr std::string_view brave = "api-dashboard.search.brave.com: Error codes";
constexpr std::string_view cerebras = "inference-docs.cerebras.ai: Error codes, Rate limits";
constexpr std::string_view cohere = "docs.cohere.com: Errors";
constexpr std::string_view dashscope = "alibabacloud.com: Model Studio, Error messages";
constexpr std::string_view deepseek = "api-docs.deepseek.com: Error codes";
constexpr std::string_view exa = "docs.exa.ai: Error codes";
constexpr std::string_view fireworks = "docs.fireworks.ai: Inference error codes";
constexpr std::string_view firecrawl = "docs.firecrawl.dev: Errors";
constexpr std::string_view gemini = "ai.google.dev: Troubleshooting; google.rpc.ErrorInfo";
constexpr std::string_view github = "docs.github.com: GitHub Models";
constexpr std::string_view groq = "console.groq.com: Errors, Rate limits, Model permissions";
constexpr std::string_view hugging_face = "huggingface.co: Inference Providers, Pricing and API";
constexpr std::string_view jina = "jina.ai: API, Errors";
constexpr std::string_view litellm = "docs.litellm.ai: Exception mapping, Budgets";
constexpr std::string_view llama_cpp = "github.com/ggml-org/llama.cpp: server, Errors";
constexpr std::string_view lm_studio = "lmstudio.ai: Developer docs";
constexpr std::string_view minimax = "platform.minimax.io: Error codes";
constexpr std::string_view mistral = "docs.mistral.ai: API, Errors";
constexpr std::string_view moonshot = "platform.moonshot.ai: Errors";
constexpr std::string_view new_api = "github.com/QuantumNous/new-api: error codes";
constexpr std::string_view nvidia = "docs.api.nvidia.com: NIM, Errors";
constexpr std::string_view ollama = "docs.ollama.com: Errors";
constexpr std::string_view openai = "platform.openai.com: Error codes";
constexpr std::string_view openrouter = "openrouter.ai: Errors and debugging";
constexpr std::string_view qianfan = "cloud.baidu.com: Qianfan, Error codes";
constexpr std::string_view serper = "serper.dev: Playground";
constexpr std::string_view siliconflow = "docs.siliconflow.com: Error codes";
constexpr std::string_view tavily = "docs.tavily.com: Search, Errors";
constexpr std::string_view tencent = "cloud.tencent.com: API 3.0, Common error codes";
constexpr std::string_view together = "docs.together.ai: Error codes";
constexpr std::string_view xai = "docs.x.ai: Debugging errors";
constexpr std::string_view zhipu = "docs.z.ai: Error codes";
constexpr std::string_view cloudflare = "developers.cloudflare.com: 1xxx and 5xx errors";
constexpr std::string_view rfc = "RFC 9110, RFC 6585, RFC 7725";
} // namespace sources

constexpr auto cause_rows = [] {
    using namespace sources;
    using enum Reason;
    return std::to_array<Cause>({
        // The key is valid, but its account has no money left.
        {"OpenAI", 0, "insufficient_quota", "", out_of_credit, openai},
        {"OpenAI", 0, "billing_not_active", "", out_of_credit, openai},
        {"OpenAI", 0, "billing_hard_limit_reached", "", out_of_credit, openai},
        {"OpenAI", 0, "", "reached*monthly budget", out_of_credit, openai},
        {"Anthropic", 0, "billing_error", "", out_of_credit, anthropic},
        {"Anthropic", 0, "", "credit balance is too low", out_of_credit, anthropic},
        {"Anthropic", 0, "", "reached your specified*usage limits", out_of_credit, anthropic},
        {"Gemini", 0, "billing_disabled", "", out_of_credit, gemini},
        {"Gemini", 0, "", "credits are depleted", out_of_credit, gemini},
        {"Gemini", 0, "", "exceeded its*spending cap", out_of_credit, gemini},
        {"xAI", 403, "", "used all available credits", out_of_credit, xai},
        {"xAI", 429, "", "used all available credits", out_of_credit, xai},
        {"xAI", 0, "", "reached its monthly spending limit", out_of_credit, xai},
        {"xAI", 0, "", "doesn't have any credits", out_of_credit, xai},
        {"DeepSeek", 0, "", "insufficient balance", out_of_credit, deepseek},
        {"OpenRouter", 0, "", "insufficient credit", out_of_credit, openrouter},
        {"OpenRouter", 0, "", "requires more credits", out_of_credit, openrouter},
        {"OpenRouter", 403, "", "key limit exceeded", out_of_credit, openrouter},
        {"Groq", 0, "blocked_api_access", "", out_of_credit, groq},
        {"Groq", 0, "", "spend alert threshold", out_of_credit, groq},
        {"Together", 0, "", "credit limit exceeded", out_of_credit, together},
        {"Mistral", 0, "", "inactive subscription or usage limit", out_of_credit, mistral},
        {"Cohere", 0, "", "add or update your payment method", out_of_credit, cohere},
        {"Cohere", 0, "", "monthly*limit*trial key", out_of_credit, cohere},
        {"Fireworks", 412, "", "suspended", out_of_credit, fireworks},
        {"Hugging Face", 0, "", "exceeded your monthly included credits", out_of_credit,
         hugging_face},
        {"Hugging Face", 0, "", "pre-paid credits are required", out_of_credit, hugging_face},
        {"NVIDIA", 0, "", "credits expired", out_of_credit, nvidia},
        {"Moonshot", 0, "exceeded_current_quota_error", "", out_of_credit, moonshot},
        {"Zhipu", 0, "1113", "", out_of_credit, zhipu},
        {"Zhipu", 0, "1309", "", out_of_credit, zhipu},
        {"DashScope", 0, "arrearage", "", out_of_credit, dashscope},
        {"DashScope", 0, "allocationquota.freetieronly", "", out_of_credit, dashscope},
        {"SiliconFlow", 0, "30001", "", out_of_credit, siliconflow},
        {"SiliconFlow", 0, "", "balance is insufficient", out_of_credit, siliconflow},
        {"LiteLLM", 0, "budget_exceeded", "", out_of_credit, litellm},
        {"LiteLLM", 0, "", "budget has been exceeded", out_of_credit, litellm},
        {"LiteLLM", 0, "", "exceededbudget", out_of_credit, litellm},
        {"new-api", 0, "insufficient_user_quota", "", out_of_credit, new_api},
        {"new-api", 0, "pre_consume_token_quota_failed", "", out_of_credit, new_api},
        {"new-api", 0, "", "\u989d\u5ea6\u4e0d\u8db3", out_of_credit, new_api},
        {"new-api", 0, "", "\u989d\u5ea6\u5df2\u7528\u5c3d", out_of_credit, new_api},
        {"MiniMax", 0, "1008", "", out_of_credit, minimax},
        {"Tavily", 0, "", "plan's set usage limit", out_of_credit, tavily},
        {"Brave", 0, "quota_limited", "", out_of_credit, brave},
        {"Exa", 0, "no_more_credits", "", out_of_credit, exa},
        {"Serper", 0, "", "not enough credits", out_of_credit, serper},
        {"Jina", 0, "insufficientbalanceerror", "", out_of_credit, jina},
        {"several", 0, "insufficient_balance", "", out_of_credit, deepseek},
        {"several", 0, "insufficient_credits", "", out_of_credit, firecrawl},
        {"several", 0, "payment_required", "", out_of_credit, cerebras},
        {"several", 0, "", "balance not enough", out_of_credit, jina},
        // Gemini says this of any quota, with the word below and mostly a time to come back.
        {"Gemini", 429, "resource_exhausted", "", rate_limited, gemini},
        {"several", 0, "", "exceeded your current quota", out_of_credit, openai},
        // The key is invalid, or not allowed for this call.
        {"OpenAI", 0, "unsupported_country_region_territory", "", not_allowed, openai},
        {"OpenAI", 0, "ip_not_authorized", "", not_allowed, openai},
        {"OpenAI", 0, "", "ip*not authorized", not_allowed, openai},
        {"OpenAI", 0, "", "must be a member of an organization", not_allowed, openai},
        {"OpenAI", 0, "", "organization must be verified", not_allowed, openai},
        {"OpenAI", 0, "", "missing scopes", not_allowed, openai},
        {"OpenAI", 0, "", "insufficient permissions for this operation", not_allowed, openai},
        {"OpenAI", 0, "account_deactivated", "", key_refused, openai},
        {"Anthropic", 0, "", "organization has been disabled", not_allowed, anthropic},
        {"Anthropic", 0, "", "only authorized for use with", not_allowed, anthropic},
        {"Anthropic", 403, "forbidden", "request not allowed", not_allowed, anthropic},
        {"Anthropic", 0, "permission_error", "", not_allowed, anthropic},
        {"Gemini", 0, "", "location is not supported", not_allowed, gemini},
        {"Gemini", 0, "", "not available in your country", not_allowed, gemini},
        {"Gemini", 0, "service_disabled", "", not_allowed, gemini},
        {"Gemini", 0, "api_key_service_blocked", "", not_allowed, gemini},
        {"Gemini", 0, "api_key_http_referrer_blocked", "", not_allowed, gemini},
        {"Gemini", 0, "api_key_ip_address_blocked", "", not_allowed, gemini},
        {"Gemini", 0, "consumer_suspended", "", not_allowed, gemini},
        {"Gemini", 0, "", "reported as leaked", key_refused, gemini},
        {"Gemini", 0, "api_key_invalid", "", key_refused, gemini},
        {"Gemini", 0, "api_key_expired", "", key_refused, gemini},
        {"Gemini", 0, "", "api key not valid", key_refused, gemini},
        {"Gemini", 0, "unauthenticated", "", key_refused, gemini},
        {"Gemini", 0, "permission_denied", "", not_allowed, gemini},
        {"Azure", 0, "", "virtual network/firewall rules", not_allowed, azure},
        {"Azure", 0, "", "public access is disabled", not_allowed, azure},
        {"Azure", 0, "permissiondenied", "", not_allowed, azure},
        {"Azure", 0, "", "invalid subscription key", key_refused, azure},
        {"Cloudflare", 403, "", "error code: 10", blocked, cloudflare},
        {"Cloudflare", 403, "1020", "", blocked, cloudflare},
        {"xAI", 0, "", "api key is currently blocked", key_refused, xai},
        {"xAI", 0, "", "api key is disabled", key_refused, xai},
        {"OpenRouter", 0, "", "endpoints*matching your data policy", not_allowed, openrouter},
        {"OpenRouter", 0, "", "guardrail restrictions", not_allowed, openrouter},
        {"OpenRouter", 0, "", "no auth credentials", key_refused, openrouter},
        {"OpenRouter", 401, "", "user not found", key_refused, openrouter},
        {"Groq", 0, "organization_restricted", "", not_allowed, groq},
        {"Groq", 0, "model_permission_blocked_org", "", not_allowed, groq},
        {"Groq", 0, "model_permission_blocked_project", "", not_allowed, groq},
        {"Groq", 0, "model_terms_required", "", not_allowed, groq},
        {"Groq", 0, "", "check your network settings", not_allowed, groq},
        {"Hugging Face", 0, "", "does not have sufficient permissions", not_allowed, hugging_face},
        {"Hugging Face", 0, "", "gated*model", not_allowed, hugging_face},
        {"Hugging Face", 0, "", "invalid username or password", key_refused, hugging_face},
        {"NVIDIA", 403, "", "authorization failed", key_refused, nvidia},
        {"Moonshot", 0, "permission_denied_error", "", not_allowed, moonshot},
        {"Moonshot", 0, "invalid_authentication_error", "", key_refused, moonshot},
        {"Zhipu", 0, "1220", "", not_allowed, zhipu},
        {"Zhipu", 0, "1110", "", not_allowed, zhipu},
        {"Zhipu", 0, "1112", "", not_allowed, zhipu},
        {"Zhipu", 0, "1121", "", not_allowed, zhipu},
        {"Zhipu", 401, "1000", "", key_refused, zhipu},
        {"Zhipu", 401, "1001", "", key_refused, zhipu},
        {"Zhipu", 401, "1002", "", key_refused, zhipu},
        {"Zhipu", 401, "1003", "", key_refused, zhipu},
        {"Zhipu", 401, "1004", "", key_refused, zhipu},
        {"DashScope", 0, "accessdenied.unpurchased", "", not_allowed, dashscope},
        {"DashScope", 0, "model.accessdenied", "", not_allowed, dashscope},
        {"DashScope", 0, "workspace.accessdenied", "", not_allowed, dashscope},
        {"DashScope", 0, "accessdenied", "", not_allowed, dashscope},
        {"DashScope", 0, "invalidapikey", "", key_refused, dashscope},
        {"SiliconFlow", 0, "", "real-name", not_allowed, siliconflow},
        {"GitHub", 0, "no_access", "", not_allowed, github},
        {"GitHub", 0, "", "bad credentials", key_refused, github},
        {"LiteLLM", 0, "key_model_access_denied", "", not_allowed, litellm},
        {"LiteLLM", 0, "team_model_access_denied", "", not_allowed, litellm},
        {"LiteLLM", 0, "", "not allowed to access model", not_allowed, litellm},
        {"LiteLLM", 0, "auth_error", "", key_refused, litellm},
        {"new-api", 0, "", "\u65e0\u6548\u7684\u4ee4\u724c", key_refused, new_api},
        {"Cerebras", 0, "wrong_api_key", "", key_refused, cerebras},
        {"Cohere", 0, "", "invalid api token", key_refused, cohere},
        {"Brave", 0, "subscription_token_invalid", "", key_refused, brave},
        {"Jina", 0, "authenticationrequirederror", "", key_refused, jina},
        {"Jina", 0, "authenticationfailederror", "", key_refused, jina},
        {"several", 0, "invalid_api_key", "", key_refused, openai},
        {"several", 0, "authentication_error", "", key_refused, anthropic},
        {"several", 0, "unauthorized", "", key_refused, fireworks},
        {"several", 0, "", "invalid api key", key_refused, groq},
        {"several", 0, "", "invalid api-key", key_refused, dashscope},
        {"several", 0, "", "invalid x-api-key", key_refused, anthropic},
        {"several", 0, "", "incorrect api key", key_refused, openai},
        {"several", 0, "", "api key is invalid", key_refused, siliconflow},
        {"several", 0, "", "missing api key", key_refused, tavily},
        {"several", 0, "", "no api key", key_refused, litellm},
        {"several", 0, "", "invalid token", key_refused, siliconflow},
        {"several", 0, "", "unauthorized", key_refused, mistral},
        {"MiniMax", 0, "1004", "", key_refused, minimax},
        {"MiniMax", 0, "2049", "", key_refused, minimax},
        {"Tencent", 0, "authfailure", "", key_refused, tencent},
        {"Tencent", 0, "authfailure.secretidnotfound", "", key_refused, tencent},
        {"Tencent", 0, "authfailure.signaturefailure", "", key_refused, tencent},
        {"Qianfan", 0, "", "access token invalid", key_refused, qianfan},
        {"several", 0, "", "invalid access token", key_refused, new_api},
        {"several", 0, "", "api key not found", key_refused, gemini},
        {"several", 0, "", "api key*expired", key_refused, gemini},
        {"several", 403, "", "invalid*key", key_refused, rfc},
        {"several", 403, "", "key*invalid", key_refused, rfc},
        {"several", 403, "", "key*not valid", key_refused, rfc},
        {"several", 403, "", "key*revoked", key_refused, rfc},
        {"several", 403, "", "key*disabled", key_refused, rfc},
        {"several", 403, "", "invalid*credential", key_refused, rfc},
        {"several", 403, "", "invalid*token", key_refused, rfc},
        {"several", 403, "", "token*invalid", key_refused, rfc},
        {"several", 403, "", "token*expired", key_refused, rfc},
        // The request is at fault: its model, length or content. Another key would not help.
        {"OpenAI", 0, "", "only supported in v1/responses", wrong_api, openai},
        {"OpenAI", 0, "", "not a chat model", wrong_api, openai},
        {"OpenAI", 0, "", "not supported in the v1/chat/completions", wrong_api, openai},
        {"Azure", 0, "operationnotsupported", "", wrong_api, azure},
        {"Zhipu", 0, "1212", "", wrong_api, zhipu},
        {"Ollama", 0, "", "does not support chat", wrong_api, ollama},
        {"LM Studio", 0, "", "unexpected endpoint or method", not_this_protocol, lm_studio},
        {"OpenAI", 0, "", "max*tokens*is too large", too_many_tokens, openai},
        {"Anthropic", 0, "", "maximum allowed number of output tokens", too_many_tokens, anthropic},
        {"Groq", 0, "", "max*tokens*must be less than or equal to", too_many_tokens, groq},
        {"DeepSeek", 0, "", "range of max_tokens", too_many_tokens, deepseek},
        {"OpenAI", 0, "context_length_exceeded", "", too_long, openai},
        {"OpenAI", 0, "string_above_max_length", "", too_long, openai},
        {"OpenAI", 429, "", "request too large", too_long, openai},
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
        {"OpenAI", 0, "model_not_found", "", unknown_model, openai},
        {"Anthropic", 0, "not_found_error", "model", unknown_model, anthropic},
        {"Azure", 0, "deploymentnotfound", "", unknown_model, azure},
        {"Mistral", 0, "invalid_model", "", unknown_model, mistral},
        {"Groq", 0, "model_decommissioned", "", unknown_model, groq},
        {"Together", 0, "model_not_available", "", unknown_model, together},
        {"OpenRouter", 0, "", "no endpoints found", unknown_model, openrouter},
        {"OpenRouter", 0, "", "not a valid model", unknown_model, openrouter},
        {"OpenRouter", 0, "", "no allowed providers", unknown_model, openrouter},
        {"Hugging Face", 0, "model_not_supported", "", unknown_model, hugging_face},
        {"NVIDIA", 404, "", "not found for account", unknown_model, nvidia},
        {"Moonshot", 0, "", "not found the model", unknown_model, moonshot},
        {"Zhipu", 0, "1211", "", unknown_model, zhipu},
        {"SiliconFlow", 0, "20012", "", unknown_model, siliconflow},
        {"GitHub", 0, "unknown_model", "", unknown_model, github},
        {"LiteLLM", 0, "", "invalid model", unknown_model, litellm},
        {"LM Studio", 0, "", "no models loaded", unknown_model, lm_studio},
        {"LM Studio", 0, "", "failed to load model", unknown_model, lm_studio},
        {"DeepSeek", 0, "", "model not exist", unknown_model, deepseek},
        {"Gemini", 0, "", "unexpected model name", unknown_model, gemini},
        {"several", 0, "", "no such model", unknown_model, ollama},
        {"several", 0, "", "unknown model", unknown_model, github},
        {"several", 0, "", "model*not found", unknown_model, ollama},
        {"several", 0, "", "model*does not exist", unknown_model, openai},
        // Rate limits, an overloaded provider, a time-out at the provider.
        {"Anthropic", 0, "overloaded_error", "", overloaded, anthropic},
        {"DeepSeek", 0, "insufficient_system_resource", "", overloaded, deepseek},
        {"Zhipu", 0, "network_error", "", overloaded, zhipu},
        {"Anthropic", 0, "timeout_error", "", timed_out, anthropic},
        {"Gemini", 0, "deadline_exceeded", "", timed_out, gemini},
        {"Gemini", 0, "unavailable", "", overloaded, gemini},
        {"Groq", 0, "capacity_exceeded", "", overloaded, groq},
        {"Groq", 0, "", "over capacity", overloaded, groq},
        {"Mistral", 0, "service_tier_capacity_exceeded", "", rate_limited, mistral},
        {"Moonshot", 0, "engine_overloaded_error", "", overloaded, moonshot},
        {"Moonshot", 0, "rate_limit_reached_error", "", rate_limited, moonshot},
        {"Cerebras", 0, "queue_exceeded", "", overloaded, cerebras},
        {"Cerebras", 0, "request_quota_exceeded", "", rate_limited, cerebras},
        {"Cerebras", 0, "token_quota_exceeded", "", rate_limited, cerebras},
        {"Hugging Face", 503, "", "currently loading", overloaded, hugging_face},
        {"llama.cpp", 0, "unavailable_error", "", overloaded, llama_cpp},
        {"Zhipu", 0, "1302", "", rate_limited, zhipu},
        {"Zhipu", 0, "1303", "", rate_limited, zhipu},
        {"Zhipu", 0, "1304", "", rate_limited, zhipu},
        {"Zhipu", 0, "1305", "", overloaded, zhipu},
        {"Zhipu", 0, "1308", "", rate_limited, zhipu},
        {"DashScope", 0, "throttling", "", rate_limited, dashscope},
        {"DashScope", 0, "throttling.ratequota", "", rate_limited, dashscope},
        {"DashScope", 0, "throttling.allocationquota", "", rate_limited, dashscope},
        {"DashScope", 0, "requesttimeout", "", timed_out, dashscope},
        {"DashScope", 0, "internalerror.timeout", "", timed_out, dashscope},
        {"MiniMax", 0, "1002", "", rate_limited, minimax},
        {"MiniMax", 0, "1039", "", rate_limited, minimax},
        {"LiteLLM", 0, "", "no deployments available", overloaded, litellm},
        {"new-api", 0, "", "\u4e0a\u6e38\u8d1f\u8f7d\u5df2\u9971\u548c", overloaded, new_api},
        {"Jina", 0, "ratelimittriggerederror", "", rate_limited, jina},
        {"several", 0, "rate_limit_exceeded", "", rate_limited, openai},
        {"several", 0, "rate_limit_error", "", rate_limited, anthropic},
        {"several", 0, "rate_limited", "", rate_limited, brave},
        {"several", 0, "resource_exhausted", "", rate_limited, gemini},
        {"several", 0, "too_many_requests", "", rate_limited, cerebras},
        {"several", 0, "", "rate limit", rate_limited, openrouter},
        {"several", 0, "", "rate-limited", rate_limited, openrouter},
        {"several", 0, "", "too many requests", rate_limited, nvidia},
        // By the status alone.
        {"several", 401, "", "", key_refused, rfc},
        {"DeepSeek, OpenRouter", 402, "", "", out_of_credit, deepseek},
        {"several", 403, "", "", not_allowed, rfc},
        {"several", 404, "", "", not_this_protocol, rfc},
        {"several", 405, "", "", not_this_protocol, rfc},
        {"several", 408, "", "", timed_out, rfc},
        {"several", 413, "", "", too_big, rfc},
        {"several", 429, "", "", rate_limited, rfc},
        {"Tavily", 432, "", "", out_of_credit, tavily},
        {"Tavily", 433, "", "", out_of_credit, tavily},
        {"Zhipu", 434, "", "", not_allowed, zhipu},
        {"several", 451, "", "", not_allowed, rfc},
        {"Groq", 498, "", "", overloaded, groq},
        {"several", 503, "", "", overloaded, rfc},
        {"several", 504, "", "", timed_out, rfc},
        {"Cloudflare", 522, "", "", timed_out, cloudflare},
        {"Cloudflare", 524, "", "", timed_out, cloudflare},
        {"Anthropic", 529, "", "", overloaded, anthropic},
    });
}();

/// Are the parts of the phrase in the message, one after the other?
bool says(const std::string& message, std::string_view phrase) {
    std::size_t from = 0;
    while (!phrase.empty()) {
        const auto part = phrase.substr(0, phrase.find('*'));
        const auto at = message.find(part, from);
        if (at == std::string::npos) return false;
        from = at + part.size();
        phrase.remove_prefix(std::min(part.size() + 1, phrase.size()));
    }
    return true;
}

bool matches(const Cause& cause, const ProviderError& error) {
    const bool vague = cause.status == 0 && cause.word.empty() && error.status >= 500;
    return !vague && (cause.status == 0 || cause.status == error.status) &&
           (cause.word.empty() ||
            std::ranges::find(error.words, cause.word) != error.words.end()) &&
           says(error.message, cause.phrase);
}

} // namespace

std::span<const Cause> causes() { return cause_rows; }

const Cause* find_cause(const ProviderError& provider_error) {
    const auto* const row = std::ranges::find_if(
        cause_rows, [&](const Cause& cause) { return matches(cause, provider_error); });
    return row == cause_rows.end() ? nullptr : row;
}

bool is_cause_word(std::string_view word) {
    return !word.empty() && std::ranges::find(cause_rows, word, &Cause::word) != cause_rows.end();
}

} // namespace usershell::adapters
