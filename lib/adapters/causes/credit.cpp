// Errors about credit: the key is valid, but its account has no money left.
#include "adapters/causes/causes.hpp"
#include "adapters/causes/sources.hpp"

#include <array>

namespace usershell::adapters {

namespace {

using namespace sources;
constexpr auto credit = Reason::out_of_credit;

constexpr auto rows = std::to_array<Cause>({
    {"OpenAI", 0, "insufficient_quota", "", credit, openai},
    {"OpenAI", 0, "billing_not_active", "", credit, openai},
    {"OpenAI", 0, "billing_hard_limit_reached", "", credit, openai},
    {"OpenAI", 0, "", "reached*monthly budget", credit, openai},
    {"Anthropic", 0, "billing_error", "", credit, anthropic},
    {"Anthropic", 0, "", "credit balance is too low", credit, anthropic},
    {"Anthropic", 0, "", "reached your specified*usage limits", credit, anthropic},
    {"Gemini", 0, "billing_disabled", "", credit, gemini},
    {"Gemini", 0, "", "credits are depleted", credit, gemini},
    {"Gemini", 0, "", "exceeded its*spending cap", credit, gemini},
    {"xAI", 403, "", "used all available credits", credit, xai},
    {"xAI", 429, "", "used all available credits", credit, xai},
    {"xAI", 0, "", "reached its monthly spending limit", credit, xai},
    {"xAI", 0, "", "doesn't have any credits", credit, xai},
    {"DeepSeek", 0, "", "insufficient balance", credit, deepseek},
    {"OpenRouter", 0, "", "insufficient credit", credit, openrouter},
    {"OpenRouter", 0, "", "requires more credits", credit, openrouter},
    {"OpenRouter", 403, "", "key limit exceeded", credit, openrouter},
    {"Groq", 0, "blocked_api_access", "", credit, groq},
    {"Groq", 0, "", "spend alert threshold", credit, groq},
    {"Together", 0, "", "credit limit exceeded", credit, together},
    {"Mistral", 0, "", "inactive subscription or usage limit", credit, mistral},
    {"Cohere", 0, "", "add or update your payment method", credit, cohere},
    {"Cohere", 0, "", "monthly*limit*trial key", credit, cohere},
    {"Fireworks", 412, "", "suspended", credit, fireworks},
    {"Hugging Face", 0, "", "exceeded your monthly included credits", credit, hugging_face},
    {"Hugging Face", 0, "", "pre-paid credits are required", credit, hugging_face},
    {"NVIDIA", 0, "", "credits expired", credit, nvidia},
    {"Moonshot", 0, "exceeded_current_quota_error", "", credit, moonshot},
    {"Zhipu", 0, "1113", "", credit, zhipu},
    {"Zhipu", 0, "1309", "", credit, zhipu},
    {"DashScope", 0, "arrearage", "", credit, dashscope},
    {"DashScope", 0, "allocationquota.freetieronly", "", credit, dashscope},
    {"SiliconFlow", 0, "30001", "", credit, siliconflow},
    {"SiliconFlow", 0, "", "balance is insufficient", credit, siliconflow},
    {"LiteLLM", 0, "budget_exceeded", "", credit, litellm},
    {"LiteLLM", 0, "", "budget has been exceeded", credit, litellm},
    {"LiteLLM", 0, "", "exceededbudget", credit, litellm},
    {"new-api", 0, "insufficient_user_quota", "", credit, new_api},
    {"new-api", 0, "pre_consume_token_quota_failed", "", credit, new_api},
    {"new-api", 0, "", "\u989d\u5ea6\u4e0d\u8db3", credit, new_api},
    {"new-api", 0, "", "\u989d\u5ea6\u5df2\u7528\u5c3d", credit, new_api},
    {"MiniMax", 0, "1008", "", credit, minimax},
    {"Tavily", 0, "", "plan's set usage limit", credit, tavily},
    {"Brave", 0, "quota_limited", "", credit, brave},
    {"Exa", 0, "no_more_credits", "", credit, exa},
    {"Serper", 0, "", "not enough credits", credit, serper},
    {"Jina", 0, "insufficientbalanceerror", "", credit, jina},
    {"several", 0, "insufficient_balance", "", credit, deepseek},
    {"several", 0, "insufficient_credits", "", credit, firecrawl},
    {"several", 0, "payment_required", "", credit, cerebras},
    {"several", 0, "", "balance not enough", credit, jina},
    // Gemini says this of any quota, with the word below and mostly a time to come back.
    {"Gemini", 429, "resource_exhausted", "", Reason::rate_limited, gemini},
    {"several", 0, "", "exceeded your current quota", credit, openai},
});

} // namespace

std::span<const Cause> credit_causes() { return rows; }

} // namespace usershell::adapters
