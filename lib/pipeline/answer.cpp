#include "pipeline/answer.hpp"

#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/catalogue.hpp"
#include "domain/relay_routes.hpp"
#include "pages/templates.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::pipeline {

namespace {

English headline(int status) {
    switch (status) {
    case 404:
        return "There is nothing here"_en;
    case 405:
        return "That can’t be done here"_en;
    case 409:
        return "That is no longer possible"_en;
    case 413:
        return "That is too large"_en;
    case 429:
        return "Too many attempts"_en;
    case 503:
        return "Back in a moment"_en;
    default:
        return status < 500 ? "That did not work"_en : "Something went wrong"_en;
    }
}

web::Response as_json(const Refusal& refusal, const std::string& request_id) {
    boost::json::object body;
    refusal.sentence().tell(body, "error");
    body["code"] = name_of(refusal.code());
    if (!refusal.field().empty()) body["field"] = refusal.field();
    if (!refusal.reason().empty()) body["reason"] = refusal.reason();
    for (const auto& [name, text] : refusal.members()) body[name] = text;
    body["requestId"] = request_id;
    return web::Response::json(boost::json::serialize(body), refusal.status());
}

web::Response as_page(const Refusal& refusal, const web::Request& request, const web::Pages& pages,
                      const std::optional<store::Caller>& caller) {
    web::PageData data = frame(caller, headline(refusal.status()));
    data.set("STATUS", std::to_string(refusal.status()));
    data.say("HEADLINE", headline(refusal.status()));
    if (refusal.sentence().english() != std::string{headline(refusal.status()).text()} + ".")
        data.show("SENTENCE").say("MESSAGE", refusal.sentence());
    data.set("REQUEST_ID", request.id);
    return web::Response::html(
        pages.render(pages::template_of(pages::Page::error), data, pages.language_of(request)),
        refusal.status());
}

web::Response in_form(const Refusal& refusal, const web::Request& request, const web::Pages* pages,
                      ErrorForm form, const std::optional<store::Caller>& caller) {
    if (is_api(form)) return api_error(refusal, form, request.id);
    const bool wants_page = form == ErrorForm::page ||
                            (form == ErrorForm::as_accepted && request.asks_for("text/html"));
    if (pages == nullptr || !wants_page) return as_json(refusal, request.id);
    try {
        return as_page(refusal, request, *pages, caller);
    } catch (const std::exception& error) {
        log(Level::error, "error page failed", {{"error", loggable(error)}});
        return as_json(refusal, request.id);
    }
}

} // namespace

web::PageData frame(const std::optional<store::Caller>& caller, English title) {
    web::PageData data;
    data.say("TITLE", title);
    if (caller) {
        data.set("ANTIFORGERY", crypto::issue_antiforgery(caller->antiforgery_key));
        data.show("SIGNED_IN")
            .set("DISPLAY_NAME", caller->display_name)
            .set("EMAIL", caller->email)
            .set("USER_ID", caller->user.text());
    }
    return data;
}

web::Response answer(const Refusal& refusal, const web::Request& request, const web::Pages* pages,
                     ErrorForm form, const std::optional<store::Caller>& caller) {
    web::Response response = in_form(refusal, request, pages, form, caller);
    response.set("Cache-Control", "no-store");
    if (const auto wait = refusal.retry_after(); wait && !is_api(form))
        response.set("Retry-After", std::to_string(wait->count()));
    return response;
}

namespace {

constexpr int overloaded = 529; ///< Anthropic's

/// The status and code of a failure with a reason. Another one is 502. Clients try again what is
/// 408, 409, 429 or 5xx, most of them whatever X-Should-Retry says; so what lasts is none of these
/// where its status is ours to choose.
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
    {"key_refused", 403, "", false},
    {"not_allowed", 403, "", false},
    {"address_changed", 403, "", false},
    {"key_unavailable", 403, "", false},
    {"out_of_credit", 402, "insufficient_quota", false},
    {"tokens_spent", 402, "insufficient_quota", false},
    {"unknown_route", 404, "unknown_url", false},
    {"not_this_protocol", 502, "", false},
    {"bad_certificate", 502, "", false},
});

/// Some clients wait as long as Retry-After says.
constexpr std::chrono::seconds longest_pause = std::chrono::hours{1};

/// A limit that ends after a longer time is a spent quota.
const ReasonRow* find_reason(const Refusal& refusal) {
    const bool is_spent =
        refusal.reason() == "rate_limited" && refusal.retry_after() > longest_pause;
    const auto* const row = std::ranges::find(
        reasons, is_spent ? "out_of_credit" : refusal.reason(), &ReasonRow::reason);
    return row == reasons.end() ? nullptr : row;
}

struct TypeRow {
    int status;
    std::string_view openai;
    std::string_view anthropic;
};
constexpr auto types = std::to_array<TypeRow>({
    {401, "authentication_error", "authentication_error"},
    {402, "insufficient_quota", "billing_error"},
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

/// The same request fails again until a setting, a key or the day changes.
bool lasts(const Refusal& refusal, int status) {
    const ReasonRow* const row = find_reason(refusal);
    return row ? !row->may_retry : status < 500 && status != 429;
}

/// What the base URLs of other services end in: "v2", "v1beta", "openai".
bool is_of_a_base(std::string_view segment) {
    constexpr auto names = std::to_array<std::string_view>({"api", "openai", "anthropic"});
    return is_version(segment) || std::ranges::find(names, segment) != names.end();
}

struct Corrected {
    std::string route; ///< with one /v1 at its beginning, and without empty segments
    bool had_version = false;
};
Corrected corrected(std::string_view path) {
    Corrected result;
    std::string rest;
    while (!path.empty()) {
        path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
        const std::string_view segment = path.substr(0, path.find('/'));
        path.remove_prefix(segment.size());
        const bool is_first = rest.empty();
        result.had_version = result.had_version || (is_first && segment == "v1");
        if (segment.empty() || segment == "v1" || (is_first && is_of_a_base(segment))) continue;
        rest.append("/").append(segment);
    }
    result.route = "/v1" + rest;
    return result;
}

constexpr std::size_t max_shown_path = 200;

} // namespace

std::optional<std::string> slip_of(std::string_view path) {
    const auto [route, is_below] = corrected(path);
    const auto begins_with = [&route = route](std::string_view each) {
        const std::string whole = "/v1" + std::string{each};
        return route == whole || route.starts_with(whole + "/");
    };
    const bool is_known = begins_with("/models") ||
                          std::ranges::any_of(relay_routes(), begins_with, &RelayRouteRow::path);
    if (!is_below && !is_known) return std::nullopt;
    return is_known ? route : std::string{"/v1"};
}

Refusal unknown_route(std::string_view path, const std::string& route) {
    const std::string shown = shorten(printable(path), max_shown_path);
    const std::vector<Sentence::Value> values{{"path", shown},
                                              {"route", shorten(printable(route), max_shown_path)}};
    const auto sentence = [&]() -> Sentence {
        if (route == "/v1" || route == path)
            return {"There is no route {path}."_en, {{"path", shown}}};
        if (route.starts_with("/v1/messages"))
            return {"There is no route {path}. The right one is {route}: give your tool the base "
                    "URL without /v1."_en,
                    values};
        return {"There is no route {path}. The right one is {route}: let the base URL of your tool "
                "end in /v1, once."_en,
                values};
    };
    return Refusal{ErrorCode::not_found, sentence()}.because("unknown_route");
}

ErrorForm api_form(std::string_view pattern, const web::Request& request) {
    const bool is_messages = pattern.starts_with("/v1/messages");
    const bool is_models = pattern.starts_with("/v1/models");
    if (is_messages || (is_models && request.header("anthropic-version")))
        return ErrorForm::anthropic;
    return pattern.starts_with("/v1/responses") ? ErrorForm::responses : ErrorForm::openai;
}

int api_status(const Refusal& refusal, ErrorForm form) {
    // A provider of a type that has gone: clients would try 409 again.
    if (refusal.reason().empty()) return refusal.status() == 409 ? 403 : refusal.status();
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
    // RFC 9110, 15.5.16: the codings that there are (execute/relay/relay_body.hpp).
    if (refusal.code() == ErrorCode::unsupported_media_type)
        response.set("Accept-Encoding", "gzip, deflate, zstd");
    if (lasts(refusal, response.status))
        response.set("X-Should-Retry", "false");
    else if (const auto wait = refusal.retry_after())
        response.set("Retry-After", std::to_string(std::min(*wait, longest_pause).count()));
    return response;
}

} // namespace usershell::pipeline
