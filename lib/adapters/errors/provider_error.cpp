#include "adapters/errors/provider_error.hpp"

#include "adapters/errors/retry_after.hpp"
#include "adapters/reading/json_memory.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

constexpr std::size_t max_shown = 300; // code points of a provider's words

struct Row {
    std::string_view text;
    Reason reason;
};

constexpr auto words = std::to_array<Row>({
    {"insufficient_quota", Reason::out_of_credit},
    {"insufficient_user_quota", Reason::out_of_credit},
    {"insufficient_balance", Reason::out_of_credit},
    {"insufficientbalanceerror", Reason::out_of_credit},
    {"insufficient_credits", Reason::out_of_credit},
    {"no_more_credits", Reason::out_of_credit},
    {"exceeded_current_quota_error", Reason::out_of_credit},
    {"billing_error", Reason::out_of_credit},
    {"billing_not_active", Reason::out_of_credit},
    {"billing_hard_limit_reached", Reason::out_of_credit},
    {"payment_required", Reason::out_of_credit},
    {"quota_limited", Reason::out_of_credit},
    {"invalid_api_key", Reason::key_refused},
    {"api_key_invalid", Reason::key_refused},
    {"api_key_expired", Reason::key_refused},
    {"api_key_service_blocked", Reason::key_refused},
    {"authentication_error", Reason::key_refused},
    {"authenticationrequirederror", Reason::key_refused},
    {"authenticationfailederror", Reason::key_refused},
    {"invalid_authentication_error", Reason::key_refused},
    {"unauthenticated", Reason::key_refused},
    {"unauthorized", Reason::key_refused},
    {"permission_error", Reason::key_refused},
    {"permission_denied", Reason::key_refused},
    {"account_deactivated", Reason::key_refused},
    {"subscription_token_invalid", Reason::key_refused},
    {"model_not_found", Reason::unknown_model},
    {"model_not_available", Reason::unknown_model},
    {"model_decommissioned", Reason::unknown_model},
    {"invalid_model", Reason::unknown_model},
    {"deploymentnotfound", Reason::unknown_model},
    {"operationnotsupported", Reason::unknown_model},
    {"context_length_exceeded", Reason::too_long},
    {"string_above_max_length", Reason::too_long},
    {"request_too_large", Reason::too_long},
    {"content_filter", Reason::policy},
    {"content_policy_violation", Reason::policy},
    {"responsibleaipolicyviolation", Reason::policy},
    {"moderation_blocked", Reason::policy},
    {"rate_limit_exceeded", Reason::rate_limited},
    {"rate_limit_error", Reason::rate_limited},
    {"rate_limited", Reason::rate_limited},
    {"resource_exhausted", Reason::rate_limited},
    {"too_many_requests", Reason::rate_limited},
    {"ratelimittriggerederror", Reason::rate_limited},
});

constexpr auto phrases = std::to_array<Row>({
    {"credit balance is too low", Reason::out_of_credit},
    {"insufficient balance", Reason::out_of_credit},
    {"insufficient credit", Reason::out_of_credit},
    {"not enough credits", Reason::out_of_credit},
    {"requires more credits", Reason::out_of_credit},
    {"exceeded your current quota", Reason::out_of_credit},
    {"plan's set usage limit", Reason::out_of_credit},
    {"balance not enough", Reason::out_of_credit},
    {"api key not valid", Reason::key_refused},
    {"invalid api key", Reason::key_refused},
    {"invalid api-key", Reason::key_refused},
    {"invalid x-api-key", Reason::key_refused},
    {"incorrect api key", Reason::key_refused},
    {"api key is invalid", Reason::key_refused},
    {"missing api key", Reason::key_refused},
    {"no api key", Reason::key_refused},
    {"invalid token", Reason::key_refused},
    {"unauthorized", Reason::key_refused},
    {"maximum context length", Reason::too_long},
    {"context length", Reason::too_long},
    {"context window", Reason::too_long},
    {"context size", Reason::too_long},
    {"prompt is too long", Reason::too_long},
    {"input is too long", Reason::too_long},
    {"exceeds the maximum number of tokens", Reason::too_long},
    {"model not found", Reason::unknown_model},
    {"model not exist", Reason::unknown_model},
    {"model does not exist", Reason::unknown_model},
    {"no such model", Reason::unknown_model},
    {"unknown model", Reason::unknown_model},
    {"invalid model", Reason::unknown_model},
    {"not a valid model", Reason::unknown_model},
    {"no endpoints found", Reason::unknown_model},
    {"unexpected model name", Reason::unknown_model},
    {"content management policy", Reason::policy},
    {"content policy", Reason::policy},
    {"usage policies", Reason::policy},
    {"safety system", Reason::policy},
    {"flagged", Reason::policy},
    {"rate limit", Reason::rate_limited},
    {"too many requests", Reason::rate_limited},
});

struct StatusRow {
    int status;
    Reason reason;
};

constexpr auto statuses = std::to_array<StatusRow>({
    {401, Reason::key_refused},
    {402, Reason::out_of_credit},
    {403, Reason::key_refused},
    {404, Reason::not_this_protocol},
    {405, Reason::not_this_protocol},
    {408, Reason::timed_out},
    {413, Reason::too_long},
    {429, Reason::rate_limited},
    {432, Reason::out_of_credit},
    {433, Reason::out_of_credit},
    {498, Reason::rate_limited},
});

constexpr auto message_places = std::to_array<std::string_view>({
    "/error/message",
    "/message",
    "/msg",
    "/err",
    "/error_msg",
    "/header/message",
    "/response/error/message",
    "/error/detail",
    "/readableMessage",
    "/error",
    "/detail/error",
    "/detail/message",
    "/detail",
    "/detail/0/msg",
    "/errors/0/message",
    "/error/0/message",
});

constexpr auto word_places = std::to_array<std::string_view>({
    "/error/code",
    "/error/type",
    "/error/status",
    "/error/innererror/code",
    "/error/metadata/error_type",
    "/code",
    "/type",
    "/name",
    "/status",
    "/tag",
    "/detail/code",
    "/detail/type",
});

/// Some wrap the object in an array: Gemini does in a stream that is no event stream.
const json::value& unwrapped(const json::value& value) {
    const auto* const array = value.if_array();
    return array && !array->empty() ? array->front() : value;
}

void read_words(const json::value& value, const Redactor& redactor, ProviderError& provider_error) {
    const auto add = [&](std::string_view word) {
        if (!word.empty()) provider_error.words.push_back(lower_ascii(redactor.redacted(word)));
    };
    for (const auto place : word_places) add(text_at(value, place));
    const auto* const details = array_at(value, "/error/details");
    if (!details) return;
    for (const auto& detail : *details) {
        add(text_at(detail, "/reason"));
        if (const auto wait = parse_duration(text_at(detail, "/retryDelay")))
            provider_error.retry_after = wait;
    }
}

void read_status(const json::value& value, ProviderError& provider_error) {
    for (const auto place : {"/error/code", "/code"}) {
        const auto* const number = find_value(value, place);
        if (number && number->is_int64() && number->get_int64() >= 400 && number->get_int64() < 600)
            provider_error.status = static_cast<int>(number->get_int64());
        if (provider_error.status != 0) return;
    }
}

/// OpenAI names it; a validator (FastAPI's) gives the way to it.
std::string_view parameter_of(const json::value& value) {
    const auto* const way = array_at(value, "/detail/0/loc");
    return way && !way->empty() ? text_at(way->back(), "") : text_at(value, "/error/param");
}

std::string_view message_of(const json::value& value) {
    for (const auto place : message_places)
        if (const auto message = text_at(value, place); !message.empty()) return message;
    return {};
}

void read_json(const json::value& outer, const Redactor& redactor, ProviderError& provider_error) {
    const auto& value = unwrapped(outer);
    read_words(value, redactor, provider_error);
    provider_error.parameter = redactor.redacted(parameter_of(value));
    provider_error.message = redactor.redacted(message_of(value));
}

bool is_markup(const net::HttpHead& head, std::string_view body) {
    const auto first = body.find_first_not_of(" \t\r\n");
    return head.content_type == "text/html" ||
           (first != std::string_view::npos && body[first] == '<');
}

template <class Rows, class Test>
std::optional<Reason> first_match(const Rows& rows, Test&& test) {
    const auto* const row =
        std::ranges::find_if(rows, [&](const Row& each) { return test(each.text); });
    return row == rows.end() ? std::nullopt : std::optional{row->reason};
}

/// "The model `x` does not exist", "model "x" not found", "models/x is not found for API version
/// …", and Anthropic's not_found_error "model: x"; the same words without a model are about the
/// URL.
bool misses_a_model(const ProviderError& provider_error) {
    return provider_error.says("model") &&
           (provider_error.says("not found") || provider_error.says("does not exist") ||
            provider_error.has_word("not_found_error"));
}

} // namespace

bool ProviderError::has_word(std::string_view word) const {
    return std::ranges::find(words, word) != words.end();
}

bool ProviderError::says(std::string_view phrase) const {
    return lower_ascii(message).find(phrase) != std::string::npos;
}

ProviderError read_provider_error(const net::HttpHead& head, std::string_view body, bool cut_off,
                                  const CallTexts& call) {
    ProviderError provider_error;
    provider_error.status = head.status;
    provider_error.is_html = is_markup(head, body);
    if (provider_error.is_html) return provider_error;
    const auto text = cut_at_blank(cut_off ? without_last_run(body) : body, max_error_bytes);
    const Redactor redactor{call};
    JsonMemory memory{json_memory * max_error_bytes};
    if (const auto parsed = parse_json(text, &memory); parsed.value)
        read_json(*parsed.value, redactor, provider_error);
    else
        provider_error.message = redactor.redacted(text);
    if (const auto wait = retry_after(head, std::chrono::system_clock::now()))
        provider_error.retry_after = wait;
    return provider_error;
}

ProviderError read_provider_error(const json::value& value, const CallTexts& call) {
    ProviderError provider_error;
    read_status(unwrapped(value), provider_error);
    read_json(value, Redactor{call}, provider_error);
    return provider_error;
}

bool is_provider_error(const json::value& outer) {
    const auto& value = unwrapped(outer);
    const auto* const error = find_value(value, "/error");
    const bool told = error && (error->is_object() || !text_at(*error, "").empty());
    return told || text_at(value, "/type") == "error" || text_at(value, "/object") == "error";
}

Reason reason_of(const ProviderError& provider_error) {
    const int status = provider_error.status;
    if (const auto reason =
            first_match(words, [&](auto word) { return provider_error.has_word(word); }))
        return *reason;
    if (status >= 500) return Reason::failed;
    if (const auto reason =
            first_match(phrases, [&](auto phrase) { return provider_error.says(phrase); }))
        return *reason;
    if (misses_a_model(provider_error)) return Reason::unknown_model;
    const auto* const row = std::ranges::find(statuses, status, &StatusRow::status);
    const bool plain = row != statuses.end() && status != 403;
    if (provider_error.is_html && !plain) return Reason::not_this_protocol;
    if (row != statuses.end()) return row->reason;
    return status == 0 ? Reason::failed : Reason::rejected;
}

UpstreamError understand(const ProviderError& provider_error) {
    return UpstreamError{reason_of(provider_error),
                         shorten(trim(printable(provider_error.message)), max_shown),
                         provider_error.retry_after};
}

} // namespace usershell::adapters
