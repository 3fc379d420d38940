// What providers' errors mean, and what of their words is shown.
#include "adapters/provider_error.hpp"
#include "adapters/retry_after.hpp"
#include "base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace usershell;
using namespace usershell::adapters;
using namespace std::chrono_literals;

namespace {

using Kind = UpstreamError::Kind;

net::HttpHead head_of(int status, std::string content_type = "application/json") {
    net::HttpHead head;
    head.status = status;
    head.content_type = std::move(content_type);
    return head;
}

struct Row {
    int status;
    std::string body;
    Kind kind;
    std::string message;
};

} // namespace

BOOST_AUTO_TEST_SUITE(provider_error)

BOOST_AUTO_TEST_CASE(providers_errors_have_a_kind) {
    const std::vector<Row> rows{
        // OpenAI and its family
        {401,
         R"({"error":{"message":"Incorrect API key provided: sk-ab***yz.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}})",
         Kind::key_refused, "Incorrect API key provided: ••••."},
        {429,
         R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
         Kind::no_credit, "You exceeded your current quota"},
        {429,
         R"({"error":{"message":"Rate limit reached for gpt-x","type":"requests","code":"rate_limit_exceeded"}})",
         Kind::rate_limited, "Rate limit reached for gpt-x"},
        {404,
         R"({"error":{"message":"The model `x` does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}})",
         Kind::unknown_model, "The model `x` does not exist or you do not have access to it."},
        {400,
         R"({"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}})",
         Kind::context_too_long, "This model's maximum context length is 8192 tokens."},
        {400,
         R"({"error":{"message":"Invalid value: 'x'","type":"invalid_request_error","code":"invalid_value"}})",
         Kind::rejected, "Invalid value: 'x'"},
        {404,
         R"~({"error":{"message":"Invalid URL (POST /v1/v1/chat/completions)","type":"invalid_request_error","param":null,"code":null}})~",
         Kind::not_the_protocol, "Invalid URL (POST /v1/v1/chat/completions)"},
        {500, R"({"error":{"message":"The server had an error","type":"server_error"}})",
         Kind::provider_failed, "The server had an error"},
        {503, R"({"error":{"message":"no available channel","code":"model_not_found"}})",
         Kind::unknown_model, "no available channel"},
        {400,
         R"({"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***zz."})",
         Kind::key_refused, "Incorrect API key provided: ••••."},
        {402,
         R"({"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}})",
         Kind::no_credit, "Insufficient Balance"},
        {400, R"({"error":{"message":"Model Not Exist","type":"invalid_request_error"}})",
         Kind::unknown_model, "Model Not Exist"},
        {402, R"({"error":{"message":"This request requires more credits","code":402}})",
         Kind::no_credit, "This request requires more credits"},
        {403,
         R"({"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["x"]}}})",
         Kind::refused_by_policy, "Your input was flagged"},
        {400, R"({"error":{"message":"x/y is not a valid model ID","code":400}})",
         Kind::unknown_model, "x/y is not a valid model ID"},
        {401, R"({"message":"Unauthorized","request_id":"1"})", Kind::key_refused, "Unauthorized"},
        {401, R"({"detail":"Unauthorized"})", Kind::key_refused, "Unauthorized"},
        {422, R"({"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]})",
         Kind::rejected, "Field required"},
        {498, R"({"error":{"message":"capacity","type":"x"}})", Kind::rate_limited, "capacity"},
        // Azure
        {404,
         R"({"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}})",
         Kind::unknown_model, "The API deployment for this resource does not exist."},
        {404, R"({"error":{"code":"404","message":"Resource not found"}})", Kind::not_the_protocol,
         "Resource not found"},
        {401,
         R"({"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}})",
         Kind::key_refused, "Access denied due to invalid subscription key or wrong API endpoint."},
        {400,
         R"({"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}})",
         Kind::refused_by_policy, "The response was filtered"},
        // Anthropic
        {401,
         R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
         Kind::key_refused, "invalid x-api-key"},
        {403, R"({"type":"error","error":{"type":"permission_error","message":"no"}})",
         Kind::key_refused, "no"},
        {402, R"({"type":"error","error":{"type":"billing_error","message":"pay"}})",
         Kind::no_credit, "pay"},
        {404, R"({"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}})",
         Kind::unknown_model, "model: claude-9"},
        {404, R"({"type":"error","error":{"type":"not_found_error","message":"Not Found"}})",
         Kind::not_the_protocol, "Not Found"},
        {413, R"({"type":"error","error":{"type":"request_too_large","message":"big"}})",
         Kind::context_too_long, "big"},
        {429, R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"}})",
         Kind::rate_limited, "slow"},
        {500, R"({"type":"error","error":{"type":"api_error","message":"oops"}})",
         Kind::provider_failed, "oops"},
        {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
         Kind::provider_failed, "Overloaded"},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}})",
         Kind::no_credit, "Your credit balance is too low to access the Anthropic API."},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})",
         Kind::context_too_long, "prompt is too long: 210000 tokens > 200000 maximum"},
        // Gemini
        {400,
         R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}})",
         Kind::key_refused, "API key not valid. Please pass a valid API key."},
        {403, R"({"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}})",
         Kind::key_refused, "denied"},
        {429,
         R"({"error":{"code":429,"message":"You exceeded your current quota, please check your plan","status":"RESOURCE_EXHAUSTED"}})",
         Kind::rate_limited, "You exceeded your current quota, please check your plan"},
        {404,
         R"({"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}})",
         Kind::unknown_model, "models/x is not found for API version v1beta"},
        {400,
         R"({"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}})",
         Kind::context_too_long,
         "The input token count (9) exceeds the maximum number of tokens allowed (8)."},
        {503, R"([{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}])",
         Kind::provider_failed, "overloaded"},
        // Ollama
        {404,
         R"({"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}})",
         Kind::unknown_model, "model \"x\" not found, try pulling it first"},
        {404, R"({"error":"model 'x' not found"})", Kind::unknown_model, "model 'x' not found"},
        // Search
        {401, R"({"detail":{"error":"Unauthorized: missing or invalid API key."}})",
         Kind::key_refused, "Unauthorized: missing or invalid API key."},
        {432, R"({"detail":{"error":"This request exceeds your plan's set usage limit."}})",
         Kind::no_credit, "This request exceeds your plan's set usage limit."},
        {422,
         R"({"type":"ErrorResponse","error":{"id":"1","status":422,"detail":"The provided subscription token is invalid.","code":"SUBSCRIPTION_TOKEN_INVALID"}})",
         Kind::key_refused, "The provided subscription token is invalid."},
        {401, R"({"requestId":"1","error":"Invalid API key","tag":"INVALID_API_KEY"})",
         Kind::key_refused, "Invalid API key"},
        {403, R"({"message":"Unauthorized.","statusCode":403})", Kind::key_refused,
         "Unauthorized."},
        {400, R"({"message":"Not enough credits","statusCode":400})", Kind::no_credit,
         "Not enough credits"},
        {402,
         R"({"code":402,"name":"InsufficientBalanceError","status":40203,"message":"Account balance not enough to run this query, please recharge."})",
         Kind::no_credit, "Account balance not enough to run this query, please recharge."},
        {401, R"({"success":false,"error":"Unauthorized: Invalid token"})", Kind::key_refused,
         "Unauthorized: Invalid token"},
        // What is in no one's format
        {400, "plain words", Kind::rejected, "plain words"},
        {400, "", Kind::rejected, ""},
        {500, "", Kind::provider_failed, ""},
        {408, "", Kind::timed_out, ""},
        {429, "{}", Kind::rate_limited, ""},
        {418, R"({"error_msg":"teapot"})", Kind::rejected, "teapot"},
        {418, R"({"header":{"message":"teapot"}})", Kind::rejected, "teapot"},
        {418, R"({"response":{"error":{"message":"teapot"}}})", Kind::rejected, "teapot"},
        {418, R"({"errors":[{"message":"teapot"}]})", Kind::rejected, "teapot"},
        {403, "<html><title>Blocked</title>", Kind::not_the_protocol, ""},
        {404, " \n<!doctype html>", Kind::not_the_protocol, ""},
        {400, "<html>", Kind::not_the_protocol, ""},
        {401, "<html>", Kind::key_refused, ""},
        {429, "<html>", Kind::rate_limited, ""},
        {502, "<html><h1>502 Bad Gateway</h1>", Kind::provider_failed, ""},
    };
    for (const auto& row : rows) {
        const auto provider_error = read_provider_error(head_of(row.status), row.body, false, {});
        BOOST_TEST((kind_of(provider_error) == row.kind),
                   row.status << " " << row.body << " is "
                              << UpstreamError{kind_of(provider_error)}.kind_name());
        BOOST_TEST(provider_error.message == row.message);
    }
    BOOST_TEST((kind_of(read_provider_error(head_of(403, "text/html"), "no tag", false, {})) ==
                Kind::not_the_protocol));
}

BOOST_AUTO_TEST_CASE(words_are_shown_as_text) {
    const auto shown = [](std::string_view body) {
        return understand(read_provider_error(head_of(400), body, false, {})).sentence();
    };
    const auto rejected = UpstreamError{Kind::rejected}.sentence();
    BOOST_TEST(shown(" \x1b[31mred\x07 a\n") == rejected + " It said: [31mred  a");
    BOOST_TEST(shown(R"({"message":"<b>bold</b>"})") == rejected + " It said: <b>bold</b>");
}

BOOST_AUTO_TEST_CASE(sentences_name_the_cause_and_the_remedy) {
    const auto provider_error = read_provider_error(
        head_of(401), R"({"error":{"message":"Incorrect API key provided: sk-12345678."}})", false,
        {"sk-12345678", {}});
    const auto error = understand(provider_error);
    BOOST_TEST(error.sentence() == "The provider refused the key. Check or replace it. It said: "
                                   "Incorrect API key provided: ••••.");
    BOOST_TEST(std::string{error.what()} == error.sentence());
    BOOST_TEST(error.kind_name() == "key_refused");
    BOOST_TEST((error.code() == ErrorCode::upstream_error));
    BOOST_TEST(error.worth_another_key());
    BOOST_TEST((UpstreamError{Kind::timed_out}.code() == ErrorCode::upstream_timeout));

    const auto limited = [](std::chrono::seconds wait) {
        return UpstreamError{Kind::rate_limited, "", wait}.sentence();
    };
    const std::string limit = "The provider limits how often this key may call. Try again ";
    BOOST_TEST(limited(0s) == limit + "in 1 second.");
    BOOST_TEST(limited(20s) == limit + "in 20 seconds.");
    BOOST_TEST(limited(121s) == limit + "in 3 minutes.");
    BOOST_TEST(limited(7201s) == limit + "in 3 hours.");
    BOOST_TEST((UpstreamError{Kind::rate_limited}.sentence()) == limit + "later.");
}

BOOST_AUTO_TEST_CASE(every_kind_is_complete) {
    std::vector<std::string> names;
    for (int kind = 0; kind <= static_cast<int>(Kind::cancelled); ++kind) {
        const UpstreamError error{static_cast<Kind>(kind)};
        BOOST_TEST(error.sentence().ends_with("."));
        BOOST_TEST((error.kind() == static_cast<Kind>(kind)));
        names.emplace_back(error.kind_name());
    }
    std::ranges::sort(names);
    BOOST_TEST((std::ranges::adjacent_find(names) == names.end()));
    for (const auto kind : {Kind::key_refused, Kind::no_credit, Kind::rate_limited,
                            Kind::provider_failed, Kind::unreachable, Kind::cut_off})
        BOOST_TEST(UpstreamError{kind}.worth_another_key());
    for (const auto kind : {Kind::unknown_model, Kind::rejected, Kind::timed_out,
                            Kind::forbidden_address, Kind::cancelled, Kind::not_the_protocol})
        BOOST_TEST(!UpstreamError{kind}.worth_another_key());
}

BOOST_AUTO_TEST_CASE(a_time_to_come_back_is_read_in_every_form) {
    using namespace std::chrono;
    const auto now = sys_days{1994y / 11 / 6} + 8h + 49min + 7s;
    struct Wait {
        std::map<std::string, std::string, std::less<>> fields;
        std::optional<seconds> wait;
    };
    const std::vector<Wait> rows{
        {{{"retry-after", "20"}}, 20s},
        {{{"retry-after", "1.2"}}, 2s},
        {{{"retry-after", "0"}}, 0s},
        {{{"retry-after", "-5"}}, 0s},
        {{{"retry-after", "99999999"}}, 24h},
        {{{"retry-after-ms", "1500"}, {"retry-after", "20"}}, 2s},
        {{{"x-ms-retry-after-ms", "900"}}, 1s},
        {{{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}}, 30s},
        {{{"retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"}}, 0s},
        {{{"retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"}}, 24h},
        {{{"retry-after", "Sat, 01 Jan 0000 00:00:00 GMT"}}, 0s},
        {{{"retry-after", "Sun, 06 Now 1994 08:49:37 GMT"}}, std::nullopt},
        {{{"retry-after", "Sun, 36 Nov 1994 08:49:37 GMT"}}, std::nullopt},
        {{{"retry-after", "Sun, 06 Nov 1994 08:+9:37 GMT"}}, std::nullopt},
        {{{"retry-after", "soon"}}, std::nullopt},
        {{{"retry-after", "inf"}}, std::nullopt},
        {{{"retry-after", ""}}, std::nullopt},
        {{}, std::nullopt},
    };
    for (const auto& row : rows) {
        net::HttpHead head;
        head.fields = row.fields;
        BOOST_TEST((retry_after(head, now) == row.wait),
                   (row.fields.empty() ? "nothing" : row.fields.begin()->second));
    }
    BOOST_TEST((parse_duration("34s") == 34s));
    BOOST_TEST((parse_duration("0.2s") == 1s));
    BOOST_TEST((!parse_duration("34")));
    BOOST_TEST((!parse_duration("")));

    const auto gemini = read_provider_error(
        head_of(429), R"({"error":{"code":429,"status":"RESOURCE_EXHAUSTED","message":"m",
        "details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}})",
        false, {});
    BOOST_TEST((gemini.retry_after == 34s));
    BOOST_TEST((understand(gemini).retry_after() == 34s));
}

BOOST_AUTO_TEST_SUITE_END()
