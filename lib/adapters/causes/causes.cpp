#include "adapters/causes/causes.hpp"

#include "base/ascii.hpp"

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
        {openai, out_of_credit, 0,
         "=insufficient_quota=|=billing_not_active=|=billing_hard_limit_reached=|"
         "reached*monthly budget"},
        {anthropic, out_of_credit, 0,
         "=billing_error=|credit balance is too low|reached your specified*usage limits"},
        {gemini, out_of_credit, 0,
         "=billing_disabled=|credits are depleted|exceeded its*spending cap"},
        {xai, out_of_credit, 403, "used all available credits"},
        {xai, out_of_credit, 429, "used all available credits"},
        {xai, out_of_credit, 0, "reached its monthly spending limit|doesn't have any credits"},
        {deepseek, out_of_credit, 0, "insufficient balance|=insufficient_balance="},
        {openrouter, out_of_credit, 0, "insufficient credit|requires more credits"},
        {openrouter, out_of_credit, 403, "key limit exceeded"},
        {groq, out_of_credit, 0, "=blocked_api_access=|spend alert threshold"},
        {together, out_of_credit, 0, "credit limit exceeded"},
        {mistral, out_of_credit, 0, "inactive subscription or usage limit"},
        {cohere, out_of_credit, 0, "add or update your payment method|monthly*limit*trial key"},
        {fireworks, out_of_credit, 412, "suspended"},
        {hugging_face, out_of_credit, 0,
         "exceeded your monthly included credits|pre-paid credits are required"},
        {nvidia, out_of_credit, 0, "credits expired"},
        {moonshot, out_of_credit, 0, "=exceeded_current_quota_error="},
        {zhipu, out_of_credit, 0, "=1113=|=1309="},
        {dashscope, out_of_credit, 0, "=arrearage=|=allocationquota.freetieronly="},
        {siliconflow, out_of_credit, 0, "=30001=|balance is insufficient"},
        {litellm, out_of_credit, 0, "=budget_exceeded=|budget has been exceeded|exceededbudget"},
        {new_api, out_of_credit, 0,
         "=insufficient_user_quota=|=pre_consume_token_quota_failed=|\u989d\u5ea6\u4e0d\u8db3|"
         "\u989d\u5ea6\u5df2\u7528\u5c3d"},
        {minimax, out_of_credit, 0, "=1008="},
        {tavily, out_of_credit, 0, "plan's set usage limit"},
        {brave, out_of_credit, 0, "=quota_limited="},
        {exa, out_of_credit, 0, "=no_more_credits="},
        {serper, out_of_credit, 0, "not enough credits"},
        {jina, out_of_credit, 0, "=insufficientbalanceerror=|balance not enough"},
        {firecrawl, out_of_credit, 0, "=insufficient_credits="},
        {cerebras, out_of_credit, 0, "=payment_required="},
        // Gemini says this of any quota, with the word below and mostly a time to come back.
        {gemini, rate_limited, 429, "=resource_exhausted="},
        {openai, out_of_credit, 0, "exceeded your current quota"},
        // The key is invalid, or not allowed for this call.
        {openai, not_allowed, 0,
         "=unsupported_country_region_territory=|=ip_not_authorized=|ip*not authorized|"
         "must be a member of an organization|organization must be verified|missing scopes|"
         "insufficient permissions for this operation"},
        {openai, key_refused, 0, "=account_deactivated="},
        {anthropic, not_allowed, 0,
         "organization has been disabled|only authorized for use with|=permission_error="},
        {anthropic, not_allowed, 403, "=forbidden=*request not allowed"},
        {gemini, not_allowed, 0,
         "location is not supported|not available in your country|=service_disabled=|"
         "=api_key_service_blocked=|=api_key_http_referrer_blocked=|=api_key_ip_address_blocked=|"
         "=consumer_suspended="},
        {gemini, key_refused, 0,
         "reported as leaked|=api_key_invalid=|=api_key_expired=|api key not valid|"
         "=unauthenticated="},
        {gemini, not_allowed, 0, "=permission_denied="},
        {azure, not_allowed, 0,
         "virtual network/firewall rules|public access is disabled|=permissiondenied="},
        {azure, key_refused, 0, "invalid subscription key"},
        {cloudflare, blocked, 403, "error code: 10|=1020="},
        {xai, key_refused, 0, "api key is currently blocked|api key is disabled"},
        {openrouter, not_allowed, 0, "endpoints*matching your data policy|guardrail restrictions"},
        {openrouter, key_refused, 0, "no auth credentials"},
        {openrouter, key_refused, 401, "user not found"},
        {groq, not_allowed, 0,
         "=organization_restricted=|=model_permission_blocked_org=|"
         "=model_permission_blocked_project=|=model_terms_required=|check your network settings"},
        {hugging_face, not_allowed, 0, "does not have sufficient permissions|gated*model"},
        {hugging_face, key_refused, 0, "invalid username or password"},
        {nvidia, key_refused, 403, "authorization failed"},
        {moonshot, not_allowed, 0, "=permission_denied_error="},
        {moonshot, key_refused, 0, "=invalid_authentication_error="},
        {zhipu, not_allowed, 0, "=1220=|=1110=|=1112=|=1121="},
        {zhipu, key_refused, 401, "=1000=|=1001=|=1002=|=1003=|=1004="},
        {dashscope, not_allowed, 0,
         "=accessdenied.unpurchased=|=model.accessdenied=|=workspace.accessdenied=|=accessdenied="},
        {dashscope, key_refused, 0, "=invalidapikey="},
        {siliconflow, not_allowed, 0, "real-name"},
        {github, not_allowed, 0, "=no_access="},
        {github, key_refused, 0, "bad credentials"},
        {litellm, not_allowed, 0,
         "=key_model_access_denied=|=team_model_access_denied=|not allowed to access model"},
        {litellm, key_refused, 0, "=auth_error=|no api key"},
        {new_api, key_refused, 0, "\u65e0\u6548\u7684\u4ee4\u724c|invalid access token"},
        {cerebras, key_refused, 0, "=wrong_api_key="},
        {cohere, key_refused, 0, "invalid api token"},
        {brave, key_refused, 0, "=subscription_token_invalid="},
        {jina, key_refused, 0, "=authenticationrequirederror=|=authenticationfailederror="},
        {openai, key_refused, 0, "=invalid_api_key=|incorrect api key"},
        {anthropic, key_refused, 0, "=authentication_error=|invalid x-api-key"},
        {fireworks, key_refused, 0, "=unauthorized="},
        {groq, key_refused, 0, "invalid api key"},
        {dashscope, key_refused, 0, "invalid api-key"},
        {siliconflow, key_refused, 0, "api key is invalid|invalid token"},
        {tavily, key_refused, 0, "missing api key"},
        {mistral, key_refused, 0, "unauthorized"},
        {minimax, key_refused, 0, "=1004=|=2049="},
        {tencent, key_refused, 0,
         "=authfailure=|=authfailure.secretidnotfound=|=authfailure.signaturefailure="},
        {qianfan, key_refused, 0, "access token invalid"},
        {gemini, key_refused, 0, "api key not found|api key*expired"},
        {rfc, key_refused, 403,
         "invalid*key|key*invalid|key*not valid|key*revoked|key*disabled|invalid*credential|"
         "invalid*token|token*invalid|token*expired"},
        // The request is at fault: its model, length or content. Another key would not help.
        {openai, wrong_api, 0,
         "only supported in v1/responses|not a chat model|"
         "not supported in the v1/chat/completions"},
        {azure, wrong_api, 0, "=operationnotsupported="},
        {zhipu, wrong_api, 0, "=1212="},
        {ollama, wrong_api, 0, "does not support chat"},
        {lm_studio, not_this_protocol, 0, "unexpected endpoint or method"},
        {openai, too_many_tokens, 0, "max*tokens*is too large"},
        {anthropic, too_many_tokens, 0, "maximum allowed number of output tokens"},
        {groq, too_many_tokens, 0, "max*tokens*must be less than or equal to"},
        {deepseek, too_many_tokens, 0, "range of max_tokens"},
        {openai, too_long, 0, "=context_length_exceeded=|=string_above_max_length="},
        {openai, too_long, 429, "request too large"},
        {anthropic, too_long, 0, "prompt is too long|exceed context limit"},
        {gemini, too_long, 0, "exceeds the maximum number of tokens"},
        {together, too_long, 0, "tokens*must be <=|context length"},
        {mistral, too_long, 0, "too large for model"},
        {cohere, too_long, 400, "too many tokens"},
        {moonshot, too_long, 0, "exceeded model token limit|token length too long"},
        {zhipu, too_long, 0, "=1261=|超*上下文|上下文*超|过*上下文|输入*过长"},
        {dashscope, too_long, 0, "range of input length|=badrequest.toolarge="},
        {siliconflow, too_long, 0, "less than max_seq_len"},
        {github, too_long, 0, "=tokens_limit_reached="},
        {llama_cpp, too_long, 0, "=exceed_context_size_error=|context size"},
        {litellm, too_long, 0, "contextwindowexceedederror|context window"},
        {lm_studio, too_long, 0, "context*overflow"},
        {fireworks, too_long, 0, "input is too long"},
        {groq, too_long, 413, "token"},
        {anthropic, too_long, 413, "prompt"},
        {litellm, too_long, 413, "context"},
        {anthropic, too_big, 0, "=request_too_large="},
        {openai, policy, 0,
         "=content_policy_violation=|=moderation_blocked=|usage policies|safety system|"
         "content policy"},
        {anthropic, policy, 0, "blocked by content filtering policy"},
        {azure, policy, 0,
         "=content_filter=|=responsibleaipolicyviolation=|content management policy"},
        {xai, policy, 0, "violates usage guidelines"},
        {openrouter, policy, 0, "flagged"},
        {moonshot, policy, 0, "considered high risk"},
        {zhipu, policy, 0, "=1301="},
        {dashscope, policy, 0, "=datainspectionfailed=|=data_inspection_failed="},
        {deepseek, policy, 0, "content exists risk"},
        {minimax, policy, 0, "=1026=|=1027="},
        {cohere, policy, 498, "blocked"},
        {new_api, policy, 0, "=sensitive_words_detected="},
        {openai, unknown_model, 0, "=model_not_found=|model*does not exist"},
        {anthropic, unknown_model, 0, "=not_found_error=*model"},
        {azure, unknown_model, 0, "=deploymentnotfound="},
        {mistral, unknown_model, 0, "=invalid_model="},
        {groq, unknown_model, 0, "=model_decommissioned="},
        {together, unknown_model, 0, "=model_not_available="},
        {openrouter, unknown_model, 0, "no endpoints found|not a valid model|no allowed providers"},
        {hugging_face, unknown_model, 0, "=model_not_supported="},
        {nvidia, unknown_model, 404, "not found for account"},
        {moonshot, unknown_model, 0, "not found the model"},
        {zhipu, unknown_model, 0, "=1211="},
        {siliconflow, unknown_model, 0, "=20012="},
        {github, unknown_model, 0, "=unknown_model=|unknown model"},
        {litellm, unknown_model, 0, "invalid model"},
        {lm_studio, unknown_model, 0, "no models loaded|failed to load model"},
        {deepseek, unknown_model, 0, "model not exist"},
        {gemini, unknown_model, 0, "unexpected model name"},
        {ollama, unknown_model, 0, "no such model|model*not found"},
        // Rate limits, an overloaded provider, a time-out at the provider.
        {anthropic, overloaded, 0, "=overloaded_error="},
        {deepseek, overloaded, 0, "=insufficient_system_resource="},
        {zhipu, overloaded, 0, "=network_error="},
        {anthropic, timed_out, 0, "=timeout_error="},
        {gemini, timed_out, 0, "=deadline_exceeded="},
        {gemini, overloaded, 0, "=unavailable="},
        {groq, overloaded, 0, "=capacity_exceeded=|over capacity"},
        {mistral, rate_limited, 0, "=service_tier_capacity_exceeded="},
        {moonshot, overloaded, 0, "=engine_overloaded_error="},
        {moonshot, rate_limited, 0, "=rate_limit_reached_error="},
        {cerebras, overloaded, 0, "=queue_exceeded="},
        {cerebras, rate_limited, 0, "=request_quota_exceeded=|=token_quota_exceeded="},
        {hugging_face, overloaded, 503, "currently loading"},
        {llama_cpp, overloaded, 0, "=unavailable_error="},
        {zhipu, rate_limited, 0, "=1302=|=1303=|=1304="},
        {zhipu, overloaded, 0, "=1305="},
        {zhipu, rate_limited, 0, "=1308="},
        {dashscope, rate_limited, 0,
         "=throttling=|=throttling.ratequota=|=throttling.allocationquota="},
        {dashscope, timed_out, 0, "=requesttimeout=|=internalerror.timeout="},
        {minimax, rate_limited, 0, "=1002=|=1039="},
        {litellm, overloaded, 0, "no deployments available"},
        {new_api, overloaded, 0, "\u4e0a\u6e38\u8d1f\u8f7d\u5df2\u9971\u548c"},
        {jina, rate_limited, 0, "=ratelimittriggerederror="},
        {openai, rate_limited, 0, "=rate_limit_exceeded="},
        {anthropic, rate_limited, 0, "=rate_limit_error="},
        {brave, rate_limited, 0, "=rate_limited="},
        {gemini, rate_limited, 0, "=resource_exhausted="},
        {cerebras, rate_limited, 0, "=too_many_requests="},
        {openrouter, rate_limited, 0, "rate limit|rate-limited"},
        {nvidia, rate_limited, 0, "too many requests"},
        // By the status alone.
        {rfc, key_refused, 401, ""},
        {deepseek, out_of_credit, 402, ""},
        {rfc, not_allowed, 403, ""},
        {rfc, not_this_protocol, 404, ""},
        {rfc, not_this_protocol, 405, ""},
        {rfc, timed_out, 408, ""},
        {rfc, too_big, 413, ""},
        {rfc, rate_limited, 429, ""},
        {tavily, out_of_credit, 432, ""},
        {tavily, out_of_credit, 433, ""},
        {zhipu, not_allowed, 434, ""},
        {rfc, not_allowed, 451, ""},
        {groq, overloaded, 498, ""},
        {rfc, overloaded, 503, ""},
        {rfc, timed_out, 504, ""},
        {cloudflare, timed_out, 522, ""},
        {cloudflare, timed_out, 524, ""},
        {anthropic, overloaded, 529, ""},
    });
}();

std::string as_sign(std::string_view word) { return "=" + std::string{word} + "="; }

/// Are the parts of the sign in the text, one after the other?
bool says(std::string_view text, std::string_view sign) {
    bool all = true;
    for_each_piece(sign, '*', [&](std::string_view part) {
        const auto at = text.find(part);
        all = all && at != std::string_view::npos;
        if (all) text.remove_prefix(at + part.size());
    });
    return all;
}

/// `words`: those of the error as signs, and its message behind them.
bool matches(const Cause& cause, const ProviderError& error, std::string_view words) {
    bool any = false;
    for_each_piece(cause.signs, '|', [&](std::string_view sign) {
        const bool is_word = sign.starts_with('=');
        const bool counts = is_word || cause.status != 0 || error.status < 500;
        any = any || (counts && says(is_word ? words : std::string_view{error.message}, sign));
    });
    return any && (cause.status == 0 || cause.status == error.status);
}

} // namespace

std::span<const Cause> causes() { return cause_rows; }

const Cause* find_cause(const ProviderError& error) {
    std::string words;
    for (const auto& word : error.words) words += as_sign(word);
    words += error.message;
    const auto* const row = std::ranges::find_if(
        cause_rows, [&](const Cause& cause) { return matches(cause, error, words); });
    return row == cause_rows.end() ? nullptr : row;
}

bool is_cause_word(std::string_view word) {
    return std::ranges::any_of(cause_rows, [sign = as_sign(word)](const Cause& cause) {
        bool any = false;
        for_each_piece(cause.signs, '|',
                       [&](std::string_view each) { any = any || each.starts_with(sign); });
        return any;
    });
}

} // namespace usershell::adapters
