// Errors about access: the key is invalid, or not allowed for this call.
#include "adapters/causes/causes.hpp"
#include "adapters/causes/sources.hpp"

#include <array>

namespace usershell::adapters {

namespace {

using namespace sources;
constexpr auto barred = Reason::not_allowed;
constexpr auto blocked = Reason::blocked;
constexpr auto refused = Reason::key_refused;

constexpr auto rows = std::to_array<Cause>({
    {"OpenAI", 0, "unsupported_country_region_territory", "", barred, openai},
    {"OpenAI", 0, "ip_not_authorized", "", barred, openai},
    {"OpenAI", 0, "", "ip*not authorized", barred, openai},
    {"OpenAI", 0, "", "must be a member of an organization", barred, openai},
    {"OpenAI", 0, "", "organization must be verified", barred, openai},
    {"OpenAI", 0, "", "missing scopes", barred, openai},
    {"OpenAI", 0, "", "insufficient permissions for this operation", barred, openai},
    {"OpenAI", 0, "account_deactivated", "", refused, openai},
    {"Anthropic", 0, "", "organization has been disabled", barred, anthropic},
    {"Anthropic", 0, "", "only authorized for use with", barred, anthropic},
    {"Anthropic", 403, "forbidden", "request not allowed", barred, anthropic},
    {"Anthropic", 0, "permission_error", "", barred, anthropic},
    {"Gemini", 0, "", "location is not supported", barred, gemini},
    {"Gemini", 0, "", "not available in your country", barred, gemini},
    {"Gemini", 0, "service_disabled", "", barred, gemini},
    {"Gemini", 0, "api_key_service_blocked", "", barred, gemini},
    {"Gemini", 0, "api_key_http_referrer_blocked", "", barred, gemini},
    {"Gemini", 0, "api_key_ip_address_blocked", "", barred, gemini},
    {"Gemini", 0, "consumer_suspended", "", barred, gemini},
    {"Gemini", 0, "", "reported as leaked", refused, gemini},
    {"Gemini", 0, "api_key_invalid", "", refused, gemini},
    {"Gemini", 0, "api_key_expired", "", refused, gemini},
    {"Gemini", 0, "", "api key not valid", refused, gemini},
    {"Gemini", 0, "unauthenticated", "", refused, gemini},
    {"Gemini", 0, "permission_denied", "", barred, gemini},
    {"Azure", 0, "", "virtual network/firewall rules", barred, azure},
    {"Azure", 0, "", "public access is disabled", barred, azure},
    {"Azure", 0, "permissiondenied", "", barred, azure},
    {"Azure", 0, "", "invalid subscription key", refused, azure},
    {"Cloudflare", 403, "", "error code: 10", blocked, cloudflare},
    {"Cloudflare", 403, "1020", "", blocked, cloudflare},
    {"xAI", 0, "", "api key is currently blocked", refused, xai},
    {"xAI", 0, "", "api key is disabled", refused, xai},
    {"OpenRouter", 0, "", "endpoints*matching your data policy", barred, openrouter},
    {"OpenRouter", 0, "", "guardrail restrictions", barred, openrouter},
    {"OpenRouter", 0, "", "no auth credentials", refused, openrouter},
    {"OpenRouter", 401, "", "user not found", refused, openrouter},
    {"Groq", 0, "organization_restricted", "", barred, groq},
    {"Groq", 0, "model_permission_blocked_org", "", barred, groq},
    {"Groq", 0, "model_permission_blocked_project", "", barred, groq},
    {"Groq", 0, "model_terms_required", "", barred, groq},
    {"Groq", 0, "", "check your network settings", barred, groq},
    {"Hugging Face", 0, "", "does not have sufficient permissions", barred, hugging_face},
    {"Hugging Face", 0, "", "gated*model", barred, hugging_face},
    {"Hugging Face", 0, "", "invalid username or password", refused, hugging_face},
    {"NVIDIA", 403, "", "authorization failed", refused, nvidia},
    {"Moonshot", 0, "permission_denied_error", "", barred, moonshot},
    {"Moonshot", 0, "invalid_authentication_error", "", refused, moonshot},
    {"Zhipu", 0, "1220", "", barred, zhipu},
    {"Zhipu", 0, "1110", "", barred, zhipu},
    {"Zhipu", 0, "1112", "", barred, zhipu},
    {"Zhipu", 0, "1121", "", barred, zhipu},
    {"Zhipu", 401, "1000", "", refused, zhipu},
    {"Zhipu", 401, "1001", "", refused, zhipu},
    {"Zhipu", 401, "1002", "", refused, zhipu},
    {"Zhipu", 401, "1003", "", refused, zhipu},
    {"Zhipu", 401, "1004", "", refused, zhipu},
    {"DashScope", 0, "accessdenied.unpurchased", "", barred, dashscope},
    {"DashScope", 0, "model.accessdenied", "", barred, dashscope},
    {"DashScope", 0, "workspace.accessdenied", "", barred, dashscope},
    {"DashScope", 0, "accessdenied", "", barred, dashscope},
    {"DashScope", 0, "invalidapikey", "", refused, dashscope},
    {"SiliconFlow", 0, "", "real-name", barred, siliconflow},
    {"GitHub", 0, "no_access", "", barred, github},
    {"GitHub", 0, "", "bad credentials", refused, github},
    {"LiteLLM", 0, "key_model_access_denied", "", barred, litellm},
    {"LiteLLM", 0, "team_model_access_denied", "", barred, litellm},
    {"LiteLLM", 0, "", "not allowed to access model", barred, litellm},
    {"LiteLLM", 0, "auth_error", "", refused, litellm},
    {"new-api", 0, "", "\u65e0\u6548\u7684\u4ee4\u724c", refused, new_api},
    {"Cerebras", 0, "wrong_api_key", "", refused, cerebras},
    {"Cohere", 0, "", "invalid api token", refused, cohere},
    {"Brave", 0, "subscription_token_invalid", "", refused, brave},
    {"Jina", 0, "authenticationrequirederror", "", refused, jina},
    {"Jina", 0, "authenticationfailederror", "", refused, jina},
    {"several", 0, "invalid_api_key", "", refused, openai},
    {"several", 0, "authentication_error", "", refused, anthropic},
    {"several", 0, "unauthorized", "", refused, fireworks},
    {"several", 0, "", "invalid api key", refused, groq},
    {"several", 0, "", "invalid api-key", refused, dashscope},
    {"several", 0, "", "invalid x-api-key", refused, anthropic},
    {"several", 0, "", "incorrect api key", refused, openai},
    {"several", 0, "", "api key is invalid", refused, siliconflow},
    {"several", 0, "", "missing api key", refused, tavily},
    {"several", 0, "", "no api key", refused, litellm},
    {"several", 0, "", "invalid token", refused, siliconflow},
    {"several", 0, "", "unauthorized", refused, mistral},
});

} // namespace

std::span<const Cause> access_causes() { return rows; }

} // namespace usershell::adapters
