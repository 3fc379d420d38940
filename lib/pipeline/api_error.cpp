#include "pipeline/api_error.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace usershell::pipeline {
namespace {

constexpr int overloaded = 529; ///< Anthropic's

/// The status and code of a provider's failure. Another failure is 502.
struct ReasonRow {
    std::string_view reason;
    int status;
    std::string_view openai_code; ///< OpenAI's word; empty: the reason
    bool may_retry = true;        ///< the same request may succeed soon
};
constexpr auto reasons = std::to_array<ReasonRow>({
    {"rejected", 400, "", false},
    {"too_long", 400, "context_length_exceeded", false},
    {"policy", 400, "content_filter", false},
    {"wrong_api", 400, "", false},
    {"unknown_model", 404, "model_not_found", false},
    {"rate_limited", 429, "rate_limit_exceeded"},
    {"overloaded", 503, ""},
    {"timed_out", 504, ""},
    {"key_refused", 502, "", false},
    {"not_allowed", 502, "", false},
    {"out_of_credit", 502, "", false},
    {"address_changed", 502, "", false},
    {"key_unavailable", 502, "", false},
});

const ReasonRow* find_reason(const Refusal& refusal) {
    const auto* const row = std::ranges::find(reasons, refusal.reason(), &ReasonRow::reason);
    return row == reasons.end() ? nullptr : row;
}

struct TypeRow {
    int status;
    std::string_view openai;
    std::string_view anthropic;
};
constexpr auto types = std::to_array<TypeRow>({
    {401, "authentication_error", "authentication_error"},
    {403, "permission_error", "permission_error"},
    {404, "invalid_request_error", "not_found_error"},
    {413, "invalid_request_error", "request_too_large"},
    {429, "rate_limit_error", "rate_limit_error"},
    {504, "api_error", "timeout_error"},
    {overloaded, "api_error", "overloaded_error"},
});

std::string_view type_of(int status, ErrorForm form) {
    if (const auto* const row = std::ranges::find(types, status, &TypeRow::status);
        row != types.end())
        return form == ErrorForm::anthropic ? row->anthropic : row->openai;
    return status < 500 ? "invalid_request_error" : "api_error";
}

std::string_view code_of(const Refusal& refusal) {
    if (refusal.reason().empty()) return name_of(refusal.code());
    const ReasonRow* const row = find_reason(refusal);
    return row && !row->openai_code.empty() ? row->openai_code : refusal.reason();
}

/// Tools shorten a conversation when they read these words of their provider.
std::string_view known_words(const Refusal& refusal, ErrorForm form) {
    if (refusal.reason() != "too_long") return {};
    return form == ErrorForm::anthropic ? "prompt is too long: "
                                        : "This exceeds the model's maximum context length. ";
}

std::string message_of(const Refusal& refusal, ErrorForm form) {
    std::string message{known_words(refusal, form)};
    message += refusal.sentence().english();
    for (const auto& [name, text] : refusal.members())
        if (name == "providerSaid") message += " The provider said: " + text;
    return message;
}

} // namespace

ErrorForm api_form(std::string_view pattern, const web::Request& request) {
    const bool is_messages = pattern.starts_with("/v1/messages");
    const bool is_models = pattern.starts_with("/v1/models");
    if (is_messages || (is_models && request.header("anthropic-version")))
        return ErrorForm::anthropic;
    return pattern == "/v1/responses" ? ErrorForm::responses : ErrorForm::openai;
}

int api_status(const Refusal& refusal, ErrorForm form) {
    if (refusal.reason().empty()) return refusal.status();
    const ReasonRow* const row = find_reason(refusal);
    const int status = row ? row->status : 502;
    if (form == ErrorForm::responses && row && !row->may_retry) return 400;
    return status == 503 && form == ErrorForm::anthropic ? overloaded : status;
}

boost::json::object api_error_document(const Refusal& refusal, ErrorForm form,
                                       const std::string& request_id) {
    const auto type = type_of(api_status(refusal, form), form);
    if (form == ErrorForm::anthropic)
        return {{"type", "error"},
                {"error", {{"type", type}, {"message", message_of(refusal, form)}}},
                {"request_id", request_id}};
    boost::json::object error{{"message", message_of(refusal, form)}, {"type", type}};
    error["param"] = nullptr;
    if (!refusal.field().empty()) error["param"] = refusal.field();
    error["code"] = code_of(refusal);
    return {{"error", std::move(error)}};
}

std::string api_error_events(const Refusal& refusal, ErrorForm form,
                             const std::string& request_id) {
    auto document = api_error_document(refusal, form, request_id);
    if (form == ErrorForm::openai) return "data: " + boost::json::serialize(document) + "\n\n";
    if (form == ErrorForm::responses) document["type"] = "error";
    std::string events = "event: error\ndata: " + boost::json::serialize(document) + "\n\n";
    if (form == ErrorForm::anthropic) return events;
    const boost::json::object error{{"code", code_of(refusal)},
                                    {"message", message_of(refusal, form)}};
    const boost::json::object response{
        {"id", request_id}, {"object", "response"}, {"status", "failed"}, {"error", error}};
    return events + "event: response.failed\ndata: " +
           boost::json::serialize(
               boost::json::object{{"type", "response.failed"}, {"response", response}}) +
           "\n\n";
}

web::Response api_error(const Refusal& refusal, ErrorForm form, const std::string& request_id) {
    auto response =
        web::Response::json(boost::json::serialize(api_error_document(refusal, form, request_id)),
                            api_status(refusal, form));
    const ReasonRow* const row = find_reason(refusal);
    if (row && !row->may_retry && row->status >= 500) response.set("X-Should-Retry", "false");
    return response;
}

} // namespace usershell::pipeline
