#include "adapters/provider_error.hpp"

#include "adapters/reading/json_memory.hpp"
#include "adapters/retry_after.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

using Kind = UpstreamError::Kind;

constexpr std::size_t max_shown = 300; // code points of a provider's words

struct Row {
    std::string_view text;
    Kind kind;
};

constexpr auto words = std::to_array<Row>({
    {"insufficient_quota", Kind::no_credit},
    {"insufficient_user_quota", Kind::no_credit},
    {"insufficient_balance", Kind::no_credit},
    {"insufficientbalanceerror", Kind::no_credit},
    {"insufficient_credits", Kind::no_credit},
    {"no_more_credits", Kind::no_credit},
    {"exceeded_current_quota_error", Kind::no_credit},
    {"billing_error", Kind::no_credit},
    {"billing_not_active", Kind::no_credit},
    {"billing_hard_limit_reached", Kind::no_credit},
    {"payment_required", Kind::no_credit},
    {"quota_limited", Kind::no_credit},
    {"invalid_api_key", Kind::key_refused},
    {"api_key_invalid", Kind::key_refused},
    {"api_key_expired", Kind::key_refused},
    {"api_key_service_blocked", Kind::key_refused},
    {"authentication_error", Kind::key_refused},
    {"authenticationrequirederror", Kind::key_refused},
    {"authenticationfailederror", Kind::key_refused},
    {"invalid_authentication_error", Kind::key_refused},
    {"unauthenticated", Kind::key_refused},
    {"unauthorized", Kind::key_refused},
    {"permission_error", Kind::key_refused},
    {"permission_denied", Kind::key_refused},
    {"account_deactivated", Kind::key_refused},
    {"subscription_token_invalid", Kind::key_refused},
    {"model_not_found", Kind::unknown_model},
    {"model_not_available", Kind::unknown_model},
    {"model_decommissioned", Kind::unknown_model},
    {"invalid_model", Kind::unknown_model},
    {"deploymentnotfound", Kind::unknown_model},
    {"operationnotsupported", Kind::unknown_model},
    {"context_length_exceeded", Kind::context_too_long},
    {"string_above_max_length", Kind::context_too_long},
    {"request_too_large", Kind::context_too_long},
    {"content_filter", Kind::refused_by_policy},
    {"content_policy_violation", Kind::refused_by_policy},
    {"responsibleaipolicyviolation", Kind::refused_by_policy},
    {"moderation_blocked", Kind::refused_by_policy},
    {"rate_limit_exceeded", Kind::rate_limited},
    {"rate_limit_error", Kind::rate_limited},
    {"rate_limited", Kind::rate_limited},
    {"resource_exhausted", Kind::rate_limited},
    {"too_many_requests", Kind::rate_limited},
    {"ratelimittriggerederror", Kind::rate_limited},
});

constexpr auto phrases = std::to_array<Row>({
    {"credit balance is too low", Kind::no_credit},
    {"insufficient balance", Kind::no_credit},
    {"insufficient credit", Kind::no_credit},
    {"not enough credits", Kind::no_credit},
    {"requires more credits", Kind::no_credit},
    {"exceeded your current quota", Kind::no_credit},
    {"plan's set usage limit", Kind::no_credit},
    {"balance not enough", Kind::no_credit},
    {"api key not valid", Kind::key_refused},
    {"invalid api key", Kind::key_refused},
    {"invalid api-key", Kind::key_refused},
    {"invalid x-api-key", Kind::key_refused},
    {"incorrect api key", Kind::key_refused},
    {"api key is invalid", Kind::key_refused},
    {"missing api key", Kind::key_refused},
    {"no api key", Kind::key_refused},
    {"invalid token", Kind::key_refused},
    {"unauthorized", Kind::key_refused},
    {"maximum context length", Kind::context_too_long},
    {"context length", Kind::context_too_long},
    {"context window", Kind::context_too_long},
    {"context size", Kind::context_too_long},
    {"prompt is too long", Kind::context_too_long},
    {"input is too long", Kind::context_too_long},
    {"exceeds the maximum number of tokens", Kind::context_too_long},
    {"model not found", Kind::unknown_model},
    {"model not exist", Kind::unknown_model},
    {"model does not exist", Kind::unknown_model},
    {"no such model", Kind::unknown_model},
    {"unknown model", Kind::unknown_model},
    {"invalid model", Kind::unknown_model},
    {"not a valid model", Kind::unknown_model},
    {"no endpoints found", Kind::unknown_model},
    {"unexpected model name", Kind::unknown_model},
    {"content management policy", Kind::refused_by_policy},
    {"content policy", Kind::refused_by_policy},
    {"usage policies", Kind::refused_by_policy},
    {"safety system", Kind::refused_by_policy},
    {"flagged", Kind::refused_by_policy},
    {"rate limit", Kind::rate_limited},
    {"too many requests", Kind::rate_limited},
});

struct StatusRow {
    int status;
    Kind kind;
};

constexpr auto statuses = std::to_array<StatusRow>({
    {401, Kind::key_refused},
    {402, Kind::no_credit},
    {403, Kind::key_refused},
    {404, Kind::not_the_protocol},
    {405, Kind::not_the_protocol},
    {408, Kind::timed_out},
    {413, Kind::context_too_long},
    {429, Kind::rate_limited},
    {432, Kind::no_credit},
    {433, Kind::no_credit},
    {498, Kind::rate_limited},
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
std::optional<Kind> first_match(const Rows& rows, Test&& test) {
    const auto* const row =
        std::ranges::find_if(rows, [&](const Row& each) { return test(each.text); });
    return row == rows.end() ? std::nullopt : std::optional{row->kind};
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

UpstreamError::Kind kind_of(const ProviderError& provider_error) {
    const int status = provider_error.status;
    if (const auto kind =
            first_match(words, [&](auto word) { return provider_error.has_word(word); }))
        return *kind;
    if (status >= 500) return Kind::provider_failed;
    if (const auto kind =
            first_match(phrases, [&](auto phrase) { return provider_error.says(phrase); }))
        return *kind;
    if (misses_a_model(provider_error)) return Kind::unknown_model;
    const auto* const row = std::ranges::find(statuses, status, &StatusRow::status);
    const bool plain = row != statuses.end() && status != 403;
    if (provider_error.is_html && !plain) return Kind::not_the_protocol;
    if (row != statuses.end()) return row->kind;
    return status == 0 ? Kind::provider_failed : Kind::rejected;
}

UpstreamError understand(const ProviderError& provider_error) {
    return UpstreamError{kind_of(provider_error),
                         shorten(trim(printable(provider_error.message)), max_shown),
                         provider_error.retry_after};
}

} // namespace usershell::adapters
