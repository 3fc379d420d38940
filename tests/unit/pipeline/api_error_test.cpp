#include "pipeline/api_error.hpp"
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
        {because("key_refused"), 502, 502, 400, "key_refused", "api_error"},
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
    const auto headers = api_error(because("key_refused"), ErrorForm::anthropic, "id").headers;
    BOOST_TEST((std::ranges::find(headers, std::pair<std::string, std::string>{
                                               "X-Should-Retry", "false"}) != headers.end()));
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
