#include "pipeline/answer.hpp"
#include "tests/unit/test.hpp"
#include <boost/json/serialize.hpp>
using namespace usershell::pipeline;
namespace {
Refusal because(std::string_view reason, ErrorCode code = ErrorCode::upstream_error) {
    return Refusal{code, "It failed."_en}.because(reason);
}
} // namespace
// The next step of a tool depends on status and type: a failure that lasts is not tried again.
BOOST_AUTO_TEST_CASE(tools_are_told_in_their_own_form) {
    const std::tuple<Refusal, int, int, int, std::string_view, std::string_view> table[] = {
        {Refusal{ErrorCode::not_signed_in, "No."_en}, 401, 401, 401, "not_signed_in",
         "authentication_error"},
        {Refusal{ErrorCode::not_allowed, "No."_en}, 403, 403, 403, "not_allowed",
         "permission_error"},
        {because("unknown_model", ErrorCode::not_found), 404, 404, 400, "model_not_found",
         "not_found_error"},
        {Refusal{ErrorCode::body_too_large, "No."_en}, 413, 413, 413, "body_too_large",
         "request_too_large"},
        {because("rate_limited"), 429, 429, 429, "rate_limit_exceeded", "rate_limit_error"},
        {because("too_long"), 400, 400, 400, "context_length_exceeded", "invalid_request_error"},
        {because("overloaded"), 503, 529, 503, "overloaded", "overloaded_error"},
        {because("timed_out", ErrorCode::upstream_timeout), 504, 504, 504, "timed_out",
         "timeout_error"},
        {because("key_refused"), 403, 403, 400, "key_refused", "permission_error"},
        {because("out_of_credit"), 402, 402, 400, "insufficient_quota", "billing_error"},
        {because("tokens_spent", ErrorCode::not_allowed), 402, 402, 400, "insufficient_quota",
         "billing_error"},
        {because("not_this_protocol"), 502, 502, 400, "not_this_protocol", "api_error"},
        {Refusal{ErrorCode::conflict, "No key."_en}, 403, 403, 403, "conflict", "permission_error"},
        {because("cut_off"), 502, 502, 502, "cut_off", "api_error"},
    };
    for (const auto& [refusal, openai, anthropic, responses, code, type] : table) {
        BOOST_TEST(api_status(refusal, ErrorForm::openai) == openai, code);
        BOOST_TEST(api_status(refusal, ErrorForm::anthropic) == anthropic, code);
        BOOST_TEST(api_status(refusal, ErrorForm::responses) == responses, code);
        const auto first = api_error_document(refusal, ErrorForm::openai, "id");
        BOOST_TEST(first.at("error").at("code").as_string() == code);
        const auto second = api_error_document(refusal, ErrorForm::anthropic, "id");
        BOOST_TEST(second.at("error").at("type").as_string() == type);
    }
    const auto codings =
        api_error({ErrorCode::unsupported_media_type, "No."_en}, ErrorForm::openai, "id").headers;
    BOOST_TEST((std::ranges::find(codings,
                                  std::pair<std::string, std::string>{
                                      "Accept-Encoding", "gzip, deflate, zstd"}) != codings.end()));
    BOOST_TEST(has(
        boost::json::serialize(api_error_document(because("too_long"), ErrorForm::anthropic, "id")),
        "prompt is too long"));
    BOOST_TEST(api_error_events(because("cut_off"), ErrorForm::openai, "id")
                   .starts_with("data: {\"error\""));
    BOOST_TEST(
        has(api_error_events(because("cut_off"), ErrorForm::responses, "id"), "response.failed"));
    BOOST_TEST(api_error_events(because("cut_off"), ErrorForm::anthropic, "id")
                   .starts_with("event: error\ndata: "));
}

BOOST_AUTO_TEST_CASE(what_lasts_is_not_tried_again) {
    const auto says = [](Refusal refusal, std::string_view name) {
        const auto answer = api_error(std::move(refusal).retry_after(30s), ErrorForm::openai, "id");
        return std::ranges::any_of(answer.headers,
                                   [&](const auto& header) { return header.first == name; });
    };
    for (const Refusal& lasting :
         {Refusal{ErrorCode::not_signed_in, "No."_en}, Refusal{ErrorCode::not_allowed, "No."_en},
          because("key_refused"), because("out_of_credit"), because("tokens_spent"),
          because("rejected"), because("not_this_protocol"), because("unknown_route")}) {
        BOOST_TEST(says(lasting, "X-Should-Retry"), lasting.reason());
        BOOST_TEST(!says(lasting, "Retry-After"), lasting.reason());
    }
    for (const Refusal& passing :
         {Refusal{ErrorCode::rate_limited, "Wait."_en}, Refusal{ErrorCode::unavailable, "Wait."_en},
          because("rate_limited"), because("overloaded")}) {
        BOOST_TEST(!says(passing, "X-Should-Retry"), passing.reason());
        BOOST_TEST(says(passing, "Retry-After"), passing.reason());
    }
}

BOOST_AUTO_TEST_CASE(a_wrong_base_url_is_told_the_right_route) {
    const std::pair<std::string_view, std::string_view> table[] = {
        {"/v1/v1/chat/completions", "/v1/chat/completions"},
        {"//v1/chat/completions", "/v1/chat/completions"},
        {"/v1//responses", "/v1/responses"},
        {"/v1/chat/completions/", "/v1/chat/completions"},
        {"/chat/completions", "/v1/chat/completions"},
        {"/messages/count_tokens", "/v1/messages/count_tokens"},
        {"/responses/compact", "/v1/responses/compact"},
        {"/images/generations", "/v1/images/generations"},
        {"/v1/v1/audio/speech", "/v1/audio/speech"},
        {"/rerank", "/v1/rerank"},
        {"/audio", ""},
        {"/v1/models/", "/v1/models"},
        {"/models/a/b", "/v1/models/a/b"},
        {"/v1/messages/batches", "/v1/messages/batches"},
        {"/v1/files", "/v1"},
        {"/v1", "/v1"},
        {"/v1/", "/v1"},
        {"/", ""},
        {"/user/providers", ""},
        {"/v10/models", ""},
        {"/modelship", ""},
    };
    for (const auto& [path, route] : table) BOOST_TEST(slip_of(path).value_or("") == route, path);
    const auto refusal = unknown_route("/chat/completions", "/v1/chat/completions");
    BOOST_TEST(has(refusal.sentence().english(), "is /v1/chat/completions:"));
    BOOST_TEST(api_status(refusal, ErrorForm::openai) == 404);
    BOOST_TEST(api_status(refusal, ErrorForm::responses) == 400);
}
