// What providers' errors mean, and what of their words is shown.
#include "adapters/errors/provider_error.hpp"
#include "adapters/errors/retry_after.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace usershell;
using namespace usershell::adapters;
using namespace std::chrono_literals;

namespace {

net::HttpHead head_of(int status, std::string content_type = "application/json") {
    net::HttpHead head;
    head.status = status;
    head.content_type = std::move(content_type);
    return head;
}

struct Row {
    int status;
    std::string body;
    Reason reason;
    std::string message;
};

} // namespace

BOOST_AUTO_TEST_SUITE(provider_error)

BOOST_AUTO_TEST_CASE(providers_errors_have_a_reason) {
    const std::vector<Row> rows{
        // OpenAI and its family
        {401,
         R"({"error":{"message":"Incorrect API key provided: sk-ab***yz.","type":"invalid_request_error","param":null,"code":"invalid_api_key"}})",
         Reason::key_refused, "Incorrect API key provided: ••••."},
        {429,
         R"({"error":{"message":"You exceeded your current quota","type":"insufficient_quota","param":null,"code":"insufficient_quota"}})",
         Reason::out_of_credit, "You exceeded your current quota"},
        {429,
         R"({"error":{"message":"Rate limit reached for gpt-x","type":"requests","code":"rate_limit_exceeded"}})",
         Reason::rate_limited, "Rate limit reached for gpt-x"},
        {404,
         R"({"error":{"message":"The model `x` does not exist or you do not have access to it.","type":"invalid_request_error","code":"model_not_found"}})",
         Reason::unknown_model, "The model `x` does not exist or you do not have access to it."},
        {400,
         R"({"error":{"message":"This model's maximum context length is 8192 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}})",
         Reason::too_long, "This model's maximum context length is 8192 tokens."},
        {400,
         R"({"error":{"message":"Invalid value: 'x'","type":"invalid_request_error","code":"invalid_value"}})",
         Reason::rejected, "Invalid value: 'x'"},
        {404,
         R"~({"error":{"message":"Invalid URL (POST /v1/v1/chat/completions)","type":"invalid_request_error","param":null,"code":null}})~",
         Reason::not_this_protocol, "Invalid URL (POST /v1/v1/chat/completions)"},
        {500, R"({"error":{"message":"The server had an error","type":"server_error"}})",
         Reason::failed, "The server had an error"},
        {503, R"({"error":{"message":"no available channel","code":"model_not_found"}})",
         Reason::unknown_model, "no available channel"},
        {400,
         R"({"code":"Client specified an invalid argument","error":"Incorrect API key provided: xa***zz."})",
         Reason::key_refused, "Incorrect API key provided: ••••."},
        {402,
         R"({"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}})",
         Reason::out_of_credit, "Insufficient Balance"},
        {400, R"({"error":{"message":"Model Not Exist","type":"invalid_request_error"}})",
         Reason::unknown_model, "Model Not Exist"},
        {402, R"({"error":{"message":"This request requires more credits","code":402}})",
         Reason::out_of_credit, "This request requires more credits"},
        {403,
         R"({"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["x"]}}})",
         Reason::policy, "Your input was flagged"},
        {400, R"({"error":{"message":"x/y is not a valid model ID","code":400}})",
         Reason::unknown_model, "x/y is not a valid model ID"},
        {401, R"({"message":"Unauthorized","request_id":"1"})", Reason::key_refused,
         "Unauthorized"},
        {401, R"({"detail":"Unauthorized"})", Reason::key_refused, "Unauthorized"},
        {422, R"({"detail":[{"type":"missing","loc":["body","messages"],"msg":"Field required"}]})",
         Reason::rejected, "Field required"},
        {498, R"({"error":{"message":"capacity","type":"x"}})", Reason::rate_limited, "capacity"},
        // Azure
        {404,
         R"({"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}})",
         Reason::unknown_model, "The API deployment for this resource does not exist."},
        {404, R"({"error":{"code":"404","message":"Resource not found"}})",
         Reason::not_this_protocol, "Resource not found"},
        {401,
         R"({"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}})",
         Reason::key_refused,
         "Access denied due to invalid subscription key or wrong API endpoint."},
        {400,
         R"({"error":{"message":"The response was filtered","code":"content_filter","innererror":{"code":"ResponsibleAIPolicyViolation"}}})",
         Reason::policy, "The response was filtered"},
        // Anthropic
        {401,
         R"({"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}})",
         Reason::key_refused, "invalid x-api-key"},
        {403, R"({"type":"error","error":{"type":"permission_error","message":"no"}})",
         Reason::key_refused, "no"},
        {402, R"({"type":"error","error":{"type":"billing_error","message":"pay"}})",
         Reason::out_of_credit, "pay"},
        {404, R"({"type":"error","error":{"type":"not_found_error","message":"model: claude-9"}})",
         Reason::unknown_model, "model: claude-9"},
        {404, R"({"type":"error","error":{"type":"not_found_error","message":"Not Found"}})",
         Reason::not_this_protocol, "Not Found"},
        {413, R"({"type":"error","error":{"type":"request_too_large","message":"big"}})",
         Reason::too_long, "big"},
        {429, R"({"type":"error","error":{"type":"rate_limit_error","message":"slow"}})",
         Reason::rate_limited, "slow"},
        {500, R"({"type":"error","error":{"type":"api_error","message":"oops"}})", Reason::failed,
         "oops"},
        {529, R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})",
         Reason::failed, "Overloaded"},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}})",
         Reason::out_of_credit, "Your credit balance is too low to access the Anthropic API."},
        {400,
         R"({"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}})",
         Reason::too_long, "prompt is too long: 210000 tokens > 200000 maximum"},
        // Gemini
        {400,
         R"({"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}]}})",
         Reason::key_refused, "API key not valid. Please pass a valid API key."},
        {403, R"({"error":{"code":403,"message":"denied","status":"PERMISSION_DENIED"}})",
         Reason::key_refused, "denied"},
        {429,
         R"({"error":{"code":429,"message":"You exceeded your current quota, please check your plan","status":"RESOURCE_EXHAUSTED"}})",
         Reason::rate_limited, "You exceeded your current quota, please check your plan"},
        {404,
         R"({"error":{"code":404,"message":"models/x is not found for API version v1beta","status":"NOT_FOUND"}})",
         Reason::unknown_model, "models/x is not found for API version v1beta"},
        {400,
         R"({"error":{"code":400,"message":"The input token count (9) exceeds the maximum number of tokens allowed (8).","status":"INVALID_ARGUMENT"}})",
         Reason::too_long,
         "The input token count (9) exceeds the maximum number of tokens allowed (8)."},
        {503, R"([{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}])",
         Reason::failed, "overloaded"},
        // Ollama
        {404,
         R"({"error":{"message":"model \"x\" not found, try pulling it first","type":"api_error"}})",
         Reason::unknown_model, "model \"x\" not found, try pulling it first"},
        {404, R"({"error":"model 'x' not found"})", Reason::unknown_model, "model 'x' not found"},
        // Search
        {401, R"({"detail":{"error":"Unauthorized: missing or invalid API key."}})",
         Reason::key_refused, "Unauthorized: missing or invalid API key."},
        {432, R"({"detail":{"error":"This request exceeds your plan's set usage limit."}})",
         Reason::out_of_credit, "This request exceeds your plan's set usage limit."},
        {422,
         R"({"type":"ErrorResponse","error":{"id":"1","status":422,"detail":"The provided subscription token is invalid.","code":"SUBSCRIPTION_TOKEN_INVALID"}})",
         Reason::key_refused, "The provided subscription token is invalid."},
        {401, R"({"requestId":"1","error":"Invalid API key","tag":"INVALID_API_KEY"})",
         Reason::key_refused, "Invalid API key"},
        {403, R"({"message":"Unauthorized.","statusCode":403})", Reason::key_refused,
         "Unauthorized."},
        {400, R"({"message":"Not enough credits","statusCode":400})", Reason::out_of_credit,
         "Not enough credits"},
        {402,
         R"({"code":402,"name":"InsufficientBalanceError","status":40203,"message":"Account balance not enough to run this query, please recharge."})",
         Reason::out_of_credit, "Account balance not enough to run this query, please recharge."},
        {401, R"({"success":false,"error":"Unauthorized: Invalid token"})", Reason::key_refused,
         "Unauthorized: Invalid token"},
        // What is in no one's format
        {400, "plain words", Reason::rejected, "plain words"},
        {400, "", Reason::rejected, ""},
        {500, "", Reason::failed, ""},
        {408, "", Reason::timed_out, ""},
        {429, "{}", Reason::rate_limited, ""},
        {418, R"({"error_msg":"teapot"})", Reason::rejected, "teapot"},
        {418, R"({"header":{"message":"teapot"}})", Reason::rejected, "teapot"},
        {418, R"({"response":{"error":{"message":"teapot"}}})", Reason::rejected, "teapot"},
        {418, R"({"errors":[{"message":"teapot"}]})", Reason::rejected, "teapot"},
        {403, "<html><title>Blocked</title>", Reason::not_this_protocol, ""},
        {404, " \n<!doctype html>", Reason::not_this_protocol, ""},
        {400, "<html>", Reason::not_this_protocol, ""},
        {401, "<html>", Reason::key_refused, ""},
        {429, "<html>", Reason::rate_limited, ""},
        {502, "<html><h1>502 Bad Gateway</h1>", Reason::failed, ""},
    };
    for (const auto& row : rows) {
        const auto provider_error = read_provider_error(head_of(row.status), row.body, false, {});
        BOOST_TEST((reason_of(provider_error) == row.reason),
                   row.status << " " << row.body << " is "
                              << UpstreamError{reason_of(provider_error)}.reason_name());
        BOOST_TEST(provider_error.message == row.message);
    }
    BOOST_TEST((reason_of(read_provider_error(head_of(403, "text/html"), "no tag", false, {})) ==
                Reason::not_this_protocol));
}

BOOST_AUTO_TEST_CASE(words_are_shown_as_text) {
    const auto shown = [](std::string_view body) {
        return understand(read_provider_error(head_of(400), body, false, {})).sentence();
    };
    const auto rejected = UpstreamError{Reason::rejected}.sentence();
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
    BOOST_TEST(error.reason_name() == "key_refused");
    BOOST_TEST((error.code() == ErrorCode::upstream_error));
    BOOST_TEST(error.may_try_another_key());
    BOOST_TEST((UpstreamError{Reason::timed_out}.code() == ErrorCode::upstream_timeout));

    const auto limited = [](std::chrono::seconds wait) {
        return UpstreamError{Reason::rate_limited, "", wait}.sentence();
    };
    const std::string limit = "The provider limits how often this key may call. Try again ";
    BOOST_TEST(limited(0s) == limit + "in 1 second.");
    BOOST_TEST(limited(20s) == limit + "in 20 seconds.");
    BOOST_TEST(limited(121s) == limit + "in 3 minutes.");
    BOOST_TEST(limited(7201s) == limit + "in 3 hours.");
    BOOST_TEST((UpstreamError{Reason::rate_limited}.sentence()) == limit + "later.");
}

BOOST_AUTO_TEST_CASE(every_reason_is_complete) {
    for (int number = 0; number <= static_cast<int>(Reason::cancelled); ++number) {
        const UpstreamError error{static_cast<Reason>(number)};
        BOOST_TEST(error.sentence().ends_with("."));
        BOOST_TEST((std::ranges::count(rules::words::reasons, error.reason_name()) == 1 ||
                    error.reason() == Reason::cancelled));
        BOOST_TEST(!error.of_key().empty());
        BOOST_TEST((error.reason() == static_cast<Reason>(number)));
    }
    for (const auto reason :
         {Reason::key_refused, Reason::not_allowed, Reason::out_of_credit, Reason::rate_limited,
          Reason::overloaded, Reason::failed, Reason::unreachable, Reason::cut_off})
        BOOST_TEST(UpstreamError{reason}.may_try_another_key());
    for (const auto reason :
         {Reason::unknown_model, Reason::wrong_api, Reason::too_long, Reason::policy,
          Reason::rejected, Reason::empty, Reason::timed_out, Reason::forbidden_address,
          Reason::cancelled, Reason::not_this_protocol})
        BOOST_TEST(!UpstreamError{reason}.may_try_another_key());
}

BOOST_AUTO_TEST_CASE(a_key_rests_as_long_as_the_provider_says_up_to_an_hour) {
    const struct {
        Reason reason;
        std::optional<std::chrono::seconds> told;
        std::optional<std::chrono::seconds> rest;
    } table[] = {
        {Reason::key_refused, {}, 300s},        {Reason::key_refused, 7s, 300s},
        {Reason::not_allowed, {}, 300s},        {Reason::rate_limited, {}, 30s},
        {Reason::rate_limited, 7s, 7s},         {Reason::rate_limited, 24h, 1h},
        {Reason::out_of_credit, {}, 30s},       {Reason::out_of_credit, 90s, 90s},
        {Reason::overloaded, 7s, std::nullopt}, {Reason::rejected, {}, std::nullopt},
    };
    for (const auto& row : table)
        BOOST_TEST((UpstreamError{row.reason, {}, row.told}.key_rest() == row.rest));
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
