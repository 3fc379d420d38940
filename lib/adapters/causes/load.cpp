// Errors about load: rate limits, an overloaded provider, a time-out at the provider.
#include "adapters/causes/causes.hpp"
#include "adapters/causes/sources.hpp"

#include <array>

namespace usershell::adapters {

namespace {

using namespace sources;
constexpr auto limited = Reason::rate_limited;
constexpr auto overloaded = Reason::overloaded;
constexpr auto late = Reason::timed_out;

constexpr auto rows = std::to_array<Cause>({
    {"Anthropic", 0, "overloaded_error", "", overloaded, anthropic},
    {"DeepSeek", 0, "insufficient_system_resource", "", overloaded, deepseek},
    {"Zhipu", 0, "network_error", "", overloaded, zhipu},
    {"Anthropic", 0, "timeout_error", "", late, anthropic},
    {"Gemini", 0, "deadline_exceeded", "", late, gemini},
    {"Gemini", 0, "unavailable", "", overloaded, gemini},
    {"Groq", 0, "capacity_exceeded", "", overloaded, groq},
    {"Groq", 0, "", "over capacity", overloaded, groq},
    {"Mistral", 0, "service_tier_capacity_exceeded", "", limited, mistral},
    {"Moonshot", 0, "engine_overloaded_error", "", overloaded, moonshot},
    {"Moonshot", 0, "rate_limit_reached_error", "", limited, moonshot},
    {"Cerebras", 0, "queue_exceeded", "", overloaded, cerebras},
    {"Cerebras", 0, "request_quota_exceeded", "", limited, cerebras},
    {"Cerebras", 0, "token_quota_exceeded", "", limited, cerebras},
    {"Hugging Face", 503, "", "currently loading", overloaded, hugging_face},
    {"llama.cpp", 0, "unavailable_error", "", overloaded, llama_cpp},
    {"Zhipu", 0, "1302", "", limited, zhipu},
    {"Zhipu", 0, "1303", "", limited, zhipu},
    {"Zhipu", 0, "1304", "", limited, zhipu},
    {"Zhipu", 0, "1305", "", overloaded, zhipu},
    {"Zhipu", 0, "1308", "", limited, zhipu},
    {"DashScope", 0, "throttling", "", limited, dashscope},
    {"DashScope", 0, "throttling.ratequota", "", limited, dashscope},
    {"DashScope", 0, "throttling.allocationquota", "", limited, dashscope},
    {"DashScope", 0, "requesttimeout", "", late, dashscope},
    {"DashScope", 0, "internalerror.timeout", "", late, dashscope},
    {"MiniMax", 0, "1002", "", limited, minimax},
    {"MiniMax", 0, "1039", "", limited, minimax},
    {"LiteLLM", 0, "", "no deployments available", overloaded, litellm},
    {"new-api", 0, "", "\u4e0a\u6e38\u8d1f\u8f7d\u5df2\u9971\u548c", overloaded, new_api},
    {"Jina", 0, "ratelimittriggerederror", "", limited, jina},
    {"several", 0, "rate_limit_exceeded", "", limited, openai},
    {"several", 0, "rate_limit_error", "", limited, anthropic},
    {"several", 0, "rate_limited", "", limited, brave},
    {"several", 0, "resource_exhausted", "", limited, gemini},
    {"several", 0, "too_many_requests", "", limited, cerebras},
    {"several", 0, "", "rate limit", limited, openrouter},
    {"several", 0, "", "rate-limited", limited, openrouter},
    {"several", 0, "", "too many requests", limited, nvidia},
});

constexpr auto statuses = std::to_array<Cause>({
    {"several", 401, "", "", Reason::key_refused, rfc},
    {"DeepSeek, OpenRouter", 402, "", "", Reason::out_of_credit, deepseek},
    {"several", 403, "", "", Reason::not_allowed, rfc},
    {"several", 404, "", "", Reason::not_this_protocol, rfc},
    {"several", 405, "", "", Reason::not_this_protocol, rfc},
    {"several", 408, "", "", late, rfc},
    {"several", 413, "", "", Reason::too_big, rfc},
    {"several", 429, "", "", limited, rfc},
    {"Tavily", 432, "", "", Reason::out_of_credit, tavily},
    {"Tavily", 433, "", "", Reason::out_of_credit, tavily},
    {"Zhipu", 434, "", "", Reason::not_allowed, zhipu},
    {"several", 451, "", "", Reason::not_allowed, rfc},
    {"Groq", 498, "", "", overloaded, groq},
    {"several", 503, "", "", overloaded, rfc},
    {"several", 504, "", "", late, rfc},
    {"Cloudflare", 522, "", "", late, cloudflare},
    {"Cloudflare", 524, "", "", late, cloudflare},
    {"Anthropic", 529, "", "", overloaded, anthropic},
});

} // namespace

std::span<const Cause> load_causes() { return rows; }
std::span<const Cause> status_causes() { return statuses; }

} // namespace usershell::adapters
