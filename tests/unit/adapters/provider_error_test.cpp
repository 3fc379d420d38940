// The reasons of providers' errors, their sentences and times to come back.
#include "adapters/causes/causes.hpp"
#include "adapters/errors/provider_error.hpp"
#include "base/text.hpp"
#include "domain/rules.hpp"
#include "net/retry_after.hpp"
#include "tests/unit/adapters/support.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>

using namespace usershell;
using namespace usershell::adapters;
using namespace usershell::test;
using namespace std::chrono_literals;

namespace {

net::HttpHead head_of(int status, std::string content_type = "application/json") {
    net::HttpHead head;
    head.status = status;
    head.content_type = std::move(content_type);
    return head;
}

} // namespace

// No row of another reason before it matches the same error.
BOOST_AUTO_TEST_CASE(every_row_of_the_table_of_causes_counts) {
    for (const Cause& cause : causes()) {
        for_each_piece(cause.signs, '|', [&](std::string_view sign) {
            const bool has_word = sign.starts_with('=');
            const auto end = has_word ? sign.find('=', 1) : 0;
            ProviderError error;
            error.status = cause.status == 0 ? 400 : cause.status;
            if (has_word) error.words = {std::string{sign.substr(1, end - 1)}};
            error.message = has_word ? sign.substr(end + 1) : sign;
            std::ranges::replace(error.message, '*', ' ');
            BOOST_TEST((reason_of(error) == cause.reason), sign);
            if (has_word) BOOST_TEST(is_cause_word(error.words.front()), sign);
        });
    }
}

BOOST_AUTO_TEST_CASE(words_are_shown_with_a_long_key_or_none) {
    const auto error = read_provider_error(
        head_of(400), R"({"error":{"message":"Key abc!","code":"invalid_api_key"}})", false);
    for (const auto key : {"sixteen-letters!", "none", "fifteen-letters"}) {
        const auto understood = understand(error, key);
        BOOST_TEST(understood.said().words ==
                   (key[0] == 'f' ? "" : "Key \u2022\u2022\u2022\u2022"));
        BOOST_TEST(understood.said().code == "invalid_api_key");
        BOOST_TEST(understood.sentence().english() ==
                   UpstreamError{Reason::key_refused}.sentence().english());
    }
    const auto other =
        read_provider_error(head_of(400), R"({"error":{"code":"of_nobody"}})", false);
    BOOST_TEST(understand(other, "none").said().code == "");
}

BOOST_AUTO_TEST_CASE(sentences_name_the_cause_and_the_remedy) {
    const UpstreamError error{Reason::key_refused};
    BOOST_TEST(std::string{error.what()} == "A provider's call failed: key_refused");

    const auto limited = [](std::chrono::seconds wait) {
        return UpstreamError{Reason::rate_limited, wait}.sentence().english();
    };
    const std::string limit = "The provider limits how often this key may call. Try again ";
    BOOST_TEST(limited(0s) == limit + "in 1 second.");
    BOOST_TEST(limited(20s) == limit + "in 20 seconds.");
    BOOST_TEST(limited(121s) == limit + "in 3 minutes.");
    BOOST_TEST(limited(7201s) == limit + "in 3 hours.");
    BOOST_TEST((UpstreamError{Reason::rate_limited}.sentence().english()) == limit + "later.");
}

BOOST_AUTO_TEST_CASE(every_reason_is_complete) {
    for (int number = 0; number <= static_cast<int>(Reason::cancelled); ++number) {
        const UpstreamError error{static_cast<Reason>(number)};
        BOOST_TEST(error.sentence().english().ends_with("."));
        BOOST_TEST(std::ranges::count(rules::words::reasons, error.reason_name()) == 1);
        BOOST_TEST(!error.of_key().text().empty());
        BOOST_TEST((error.reason() == static_cast<Reason>(number)));
    }
}

BOOST_AUTO_TEST_CASE(a_failure_of_the_connection_has_its_reason) {
    using enum net::HttpFailure;
    const std::pair<net::HttpFailure, std::string> table[] = {
        {unreachable, "unreachable"},
        {timed_out, "timed_out"},
        {too_large, "too_large"},
        {not_http, "not_this_protocol"},
        {cut_off, "cut_off"},
        {cancelled, "cancelled"},
        {unsendable, "rejected"},
        {too_costly, "too_large"},
        {forbidden_address, "unreachable"},
        {bad_certificate, "bad_certificate"},
    };
    for (const auto& [failure, reason] : table)
        BOOST_TEST(hear({.failure = failure}, {}).reason() == reason);
    // Else answers would tell which internal names there are.
    const UpstreamError hidden{Reason::forbidden_address};
    const UpstreamError shown{Reason::unreachable};
    BOOST_TEST(outcome(hidden) == outcome(shown));
    BOOST_TEST(hidden.of_key().text() == shown.of_key().text());
    BOOST_TEST((reason_of(read_provider_error(head_of(403, "text/html"), "no tag", false)) ==
                Reason::blocked));
}

BOOST_AUTO_TEST_CASE(a_cooldown_lasts_as_long_as_the_provider_says_up_to_an_hour) {
    const struct {
        Reason reason;
        std::optional<std::chrono::seconds> told;
        std::optional<std::chrono::seconds> cooldown;
    } table[] = {
        {Reason::key_refused, 7s, 300s},
        {Reason::rate_limited, 24h, 1h},
        {Reason::out_of_credit, 90s, 90s},
        {Reason::overloaded, 7s, std::nullopt},
    };
    for (const auto& row : table)
        BOOST_TEST((UpstreamError{row.reason, row.told}.cooldown() == row.cooldown));
}

BOOST_AUTO_TEST_CASE(a_time_to_come_back_is_read_in_every_form) {
    using namespace std::chrono;
    const auto now = sys_days{1994y / 11 / 6} + 8h + 49min + 7s;
    using Fields = std::map<std::string, std::string, std::less<>>;
    const std::pair<Fields, std::optional<seconds>> rows[] = {
        {{{"retry-after", "20"}}, 20s},
        {{{"retry-after", "1.2"}}, 2s},
        {{{"retry-after", "-5"}}, 0s},
        {{{"retry-after", "99999999"}}, 24h},
        {{{"retry-after-ms", "1500"}, {"retry-after", "20"}}, 2s},
        {{{"x-ms-retry-after-ms", "900"}}, 1s},
        {{{"retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"}}, 30s},
        {{{"retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"}}, 0s},
        {{{"retry-after", "Fri, 31 Dec 9999 23:59:59 GMT"}}, 24h},
        {{{"retry-after", "Sun, 06 Now 1994 08:49:37 GMT"}}, std::nullopt},
        {{{"retry-after", "Sun, 36 Nov 1994 08:49:37 GMT"}}, std::nullopt},
        {{{"retry-after", "Sun, 06 Nov 1994 08:+9:37 GMT"}}, std::nullopt},
        {{{"retry-after", "soon"}}, std::nullopt},
        {{{"retry-after", "inf"}}, std::nullopt},
        {{{"retry-after", ""}}, std::nullopt},
        {{{"retry-after", "30s"}}, 30s},
        {{{"retry-after", "7m12.5s"}}, 433s},
        {{{"retry-after", "1h2m"}}, 3720s},
        {{{"retry-after", "250ms"}}, 1s},
        {{{"retry-after", "2 minutes"}}, 120s},
        {{{"retry-after", "Sunday, 06-Nov-94 08:49:37 GMT"}}, 30s},
        {{{"retry-after", "Sun Nov  6 08:49:37 1994"}}, 30s},
        {{{"retry-after", "1994-11-06T08:49:37Z"}}, 30s},
        {{{"retry-after", "1994-11-06T08:49:37.25+00:00"}}, 30s},
        {{{"retry-after", "1994-11-06 08:49"}}, std::nullopt},
        {{{"retry-after", "1994-11-06T08:49:37 or so, Z"}}, std::nullopt},
        {{{"retry-after", "Wed, 30 Feb 1994 08:49:37 GMT"}}, std::nullopt},
        {{{"retry-after", "1784111777"}}, 24h},
        {{{"x-ratelimit-reset-requests", "2m5s"}}, 125s},
        {{{"x-ratelimit-reset-requests", "2m5s"}, {"x-ratelimit-reset-tokens", "6ms"}}, 125s},
        {{{"x-ratelimit-reset-requests", "2m5s"},
          {"x-ratelimit-remaining-requests", "9"},
          {"x-ratelimit-reset-tokens", "6s"},
          {"x-ratelimit-remaining-tokens", "0"}},
         6s},
        {{{"anthropic-ratelimit-requests-reset", "1994-11-06T08:50:07Z"}}, 60s},
        {{{"x-ratelimit-reset", "1784111777000"}}, 24h},
        {{{"ratelimit-reset", "50"}}, 50s},
        {{{"x-reset", "50"}}, std::nullopt},
        {{{"retry-after", "9"}, {"ratelimit-reset", "50"}}, 9s},
        {{}, std::nullopt},
    };
    for (const auto& [fields, wait] : rows) {
        net::HttpHead head;
        head.status = 429;
        head.fields = fields;
        BOOST_TEST((retry_after(head, now) == wait),
                   (fields.empty() ? "nothing" : fields.begin()->second));
    }
    net::HttpHead healthy;
    healthy.status = 400;
    healthy.fields = {{"x-ratelimit-reset-requests", "2m5s"}};
    BOOST_TEST((!retry_after(healthy, now)));
    // In seconds or milliseconds since 1970.
    for (const auto* const text : {"784111777", "1784111777", "1784111777000"})
        BOOST_TEST(
            (net::parse_wait(text, sys_seconds{1784111747s}) == (text[0] == '7' ? 24h : 30s)));
}

BOOST_AUTO_TEST_CASE(a_time_to_come_back_is_read_in_words_and_members) {
    const std::pair<std::string, std::optional<std::chrono::seconds>> rows[] = {
        {R"({"error":{"message":"Rate limit reached. Please try again in 7m12.5s. Visit x"}})",
         433s},
        {R"({"error":{"message":"Please retry after 7 seconds."}})", 7s},
        {R"({"message":"Please wait for 1 minute 30 seconds before the next."}})", 90s},
        {R"({"detail":"Limit resets in about 2 hours"})", 7200s},
        {R"({"error":"Try again in 20s, 3 are left"})", 20s},
        {"Try again in 500ms", 1s},
        {R"({"error":{"message":"Try again in 3 months"}})", 24h},
        {R"({"error":{"message":"Try again in a while: limit 3 m"}})", std::nullopt},
        {R"({"error":{"message":"Try again later. 20s"}})", std::nullopt},
        {R"({"error":{"message":"m","retry_after":12}})", 12s},
        {R"({"retry_after":"1m"})", 60s},
        {R"({"error":{"message":"m","details":[{"retryDelay":"34.2s"}]}})", 35s},
        {R"({"error":{"message":"m","metadata":{"headers":{"X-RateLimit-Reset":"9"}}}})", 9s},
        {R"({"error":{"message":"m","metadata":{"raw":"retry in 5s"}}})", 5s},
    };
    for (const auto& [body, wait] : rows)
        BOOST_TEST((read_provider_error(head_of(429), body, false).retry_after == wait), body);
}

BOOST_AUTO_TEST_CASE(a_proxy_that_takes_no_large_body_is_not_the_models_context) {
    const std::tuple<std::string, std::string, Reason> rows[] = {
        {"text/html", "<html><h1>413 Request Entity Too Large</h1></html>", Reason::too_big},
        {"application/json", R"({"message":"request entity too large"})", Reason::too_big},
        {"text/plain", "", Reason::too_big},
        {"application/json", R"({"error":{"message":"Request too large: tokens per minute"}})",
         Reason::too_long},
        {"application/json", R"({"error":{"message":"The prompt is too large."}})",
         Reason::too_long},
        {"application/json", R"({"error":{"code":"context_length_exceeded"}})", Reason::too_long},
    };
    for (const auto& [type, body, reason] : rows)
        BOOST_TEST((reason_of(read_provider_error(head_of(413, type), body, false)) == reason),
                   body);
}

BOOST_AUTO_TEST_CASE(no_words_are_shown_where_a_header_may_consist_of_them) {
    const auto error = read_provider_error(
        head_of(400), R"({"error":{"message":"The model is not available in production"}})", false);
    const auto said = [&](std::string_view value) {
        const net::KeyHeader header{"x-tenant", "", value};
        return understand(error, no_key, {&header, 1}).said().words;
    };
    const std::string shown = understand(error, no_key).said().words;
    BOOST_TEST(!shown.empty());
    for (const char* unlike : {"short", "model", "a-value-of-its-own", "Bearer 0123456789abcdef"})
        BOOST_TEST(said(unlike) == shown, unlike);
    for (const char* like :
         {"available", "production", "is not available", "not available in production"})
        BOOST_TEST(said(like) == "", like);
}
