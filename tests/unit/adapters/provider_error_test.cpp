// The reasons of providers' errors, their sentences, words that are shown, and times to come back.
// The answer to a failed call is the same, byte for byte, with two keys of one length, though the
// upstream repeats the key wherever it can and the caller chooses everything else.
#include "adapters/causes/causes.hpp"
#include "adapters/errors/provider_error.hpp"
#include "adapters/errors/provider_words.hpp"
#include "net/retry_after.hpp"
#include "tests/unit/adapters/support.hpp"
#include <random>
using namespace usershell::adapters;
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
        {{{"retry-after", "1994-11-06T10:49:37+02:00"}}, 30s},
        {{{"retry-after", "1994-11-06T03:19:37.5-0530"}}, 30s},
        {{{"retry-after", "1994-11-06 08:49:37 UTC"}}, 30s},
        {{{"retry-after", "1994-11-06T08:49:37+2"}}, std::nullopt},
        {{{"retry-after", "1994-11-06T08:49:37"}}, std::nullopt},
        {{{"retry-after", "Sun, 06 Nov 1994 10:49:37 +0200"}}, 30s},
        {{{"retry-after", "\"30\""}}, 30s},
        {{{"retry-after", "'1994-11-06T08:49:37Z'"}}, 30s},
        {{{"retry-after", "30, 60"}}, 30s},
        {{{"retry-after", "30; reason=x"}}, 30s},
        {{{"retry-after", "30 (slow down)"}}, 30s},
        {{{"retry-after", "30 times"}}, std::nullopt},
        {{{"retry-after", "PT1M30S"}}, 90s},
        {{{"retry-after", "P1DT2H"}}, 24h},
        {{{"retry-after", "pt0.5s"}}, 1s},
        {{{"retry-after", "PT"}}, std::nullopt},
        {{{"retry-after", "1 hour and 5 minutes"}}, 3900s},
        {{{"x-retry-after", "30"}}, 30s},
        {{{"x-ratelimit-retry-after", "30"}}, 30s},
        {{{"x-ratelimit-retry-after-ms", "1500"}, {"x-retry-after", "9"}}, 2s},
        {{{"x-should-retry", "30"}}, std::nullopt},
        {{{"ratelimit", R"("default";r=0;t=30)"}}, 30s},
        {{{"ratelimit", R"("burst";r=5;t=9, "day";r=0;t=60, "x";r=1;t=70)"}}, 60s},
        {{{"ratelimit", "limit=100, remaining=0, reset=30"}}, 30s},
        {{{"ratelimit", "limit=100, remaining=1, reset=30"}}, std::nullopt},
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
        BOOST_TEST((net::parse_wait("retry_at", text, sys_seconds{1784111747s}) ==
                    (text[0] == '7' ? 24h : 30s)));
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
        {"Try again in a minute.", 60s},
        {"Please retry your request after 1 hour, 5 minutes.", 3900s},
        {"Your quota will reset after 13h32m.", 48720s},
        {"Limit resets at: 2001-10-21 07:28:00 UTC", 0s},
        {"Available again at 2001-10-21T07:28:00Z.", 0s},
        {"Available again until 2001-10-21T07:28:00.", std::nullopt},
        {"rate limited: Retry-After: 30", 30s},
        {"retry_after=30, x", 30s},
        {"retry after 3 attempts", std::nullopt},
        {"Try again later, for 10 calls every 60 minutes are allowed", std::nullopt},
        {"Retry with 5 requests per 1 minute", std::nullopt},
        {"请在30秒后重试", 30s},
        {"请 1 分钟 30 秒 后重试", 90s},
        {"请等待2小时", 7200s},
        {"30秒後に再試行してください", 30s},
        {"10秒内最多5次，请稍后重试", std::nullopt},
        {R"({"error":{"message":"m","retry_after":12}})", 12s},
        {R"({"retry_after":"1m"})", 60s},
        {R"({"error":{"message":"m","retry_after_ms":1500}})", 2s},
        {R"({"error":{"message":"m","retryAfter":30}})", 30s},
        {R"({"error":"m","retry_after_seconds":"30"})", 30s},
        {R"({"detail":{"message":"m","retry_in":1.5}})", 2s},
        {R"({"errors":[{"message":"m","meta":{"retryAfterMs":900}}]})", 1s},
        {R"({"error":{"message":"m","resets_in_seconds":30}})", 30s},
        {R"({"error":{"message":"m","reset":60,"headers":{"Retry-After":"5"}}})", 5s},
        {R"({"error":{"message":"m","resets_at":"2001-10-21T07:28:00Z"}})", 0s},
        {R"({"error":{"message":"m","cooldown_minutes":2}})", 120s},
        {R"({"error":{"message":"m","retries":3,"max_retries":2,"preset":"x"}})", std::nullopt},
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

BOOST_AUTO_TEST_CASE(a_message_may_be_under_the_name_of_an_input_or_in_markup) {
    const std::tuple<std::string, std::string, Reason> rows[] = {
        {R"({"title":"Errors occurred.","errors":{"messages":["maximum context length is 8"]}})",
         "messages: maximum context length is 8", Reason::too_long},
        {R"({"error":{"code":"BadRequest","details":"maximum context length is 8"}})",
         "maximum context length is 8", Reason::too_long},
        {"<?xml version='1.0'?><Error><Code>No</Code><Message>maximum context length is 8"
         "</Message></Error>",
         "No maximum context length is 8", Reason::too_long},
        {"<Error><Message>maximum context length</Message></Error>", "maximum context length",
         Reason::too_long},
        {"<nil> is the maximum context length", "•••• is the maximum context length",
         Reason::too_long},
        {R"({"error":{"message":"输入长度超过模型最大上下文长度"}})",
         "输入长度超过模型最大上下文长度", Reason::too_long},
        {"<!doctype html><p>maximum context length</p>", "", Reason::not_this_protocol},
    };
    for (const auto& [body, said, reason] : rows) {
        const auto error = read_provider_error(head_of(400), body, false);
        BOOST_TEST((reason_of(error) == reason), body);
        std::string words;
        for_each_piece(error.said, ' ', [&](std::string_view word) {
            if (!word.empty()) words.append(words.empty() ? "" : " ").append(word);
        });
        BOOST_TEST(words == said, body);
    }
    const auto missing = read_provider_error(
        head_of(404), "<?xml version='1.0'?><Error><Message>No key</Message></Error>", false);
    BOOST_TEST((reason_of(missing) == Reason::not_this_protocol));
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

namespace {
using Row = std::pair<std::string, std::string>; ///< a text, and what is kept; "#" is the mark
void expect(std::string (*reading)(std::string_view), const std::vector<Row>& rows) {
    for (const auto& [text, expected] : rows) {
        std::string kept = reading(text);
        for (std::size_t at; (at = kept.find(hidden_mark)) != std::string::npos;)
            kept.replace(at, hidden_mark.size(), "#");
        BOOST_TEST(kept == expected, text);
    }
}

BOOST_AUTO_TEST_CASE(known_words_and_short_numbers_are_shown) {
    expect(
        shown_words,
        {
            {"Incorrect API key provided: sk-ab***yz.", "Incorrect API key provided: #"},
            {"The model `gpt-9` does not exist", "The model # does not exist"},
            {"Unsupported parameter: 'max_tokens'.", "Unsupported parameter: 'max_tokens'."},
            {"(rate limit) [\"error\"]", "(rate limit) [\"error\"]"},
            {"\"'(error)'\"", ""}, // more than two signs at an edge
            {"limit 8192, 123456; 1234567", "limit 8192, 123456; #"},
            {"key=error", ""},
            {"error-error", ""},
            {"API API_KEY_INVALID DeploymentNotFound", "API API_KEY_INVALID DeploymentNotFound"},
            {"see https://example.com/error", "see #"},
            {"POST /v1/chat/completions", "POST /v1/chat/completions"},
            {"correct-horse correct", "# correct"},
            {"xq yq \t zq\nerror", "# error"}, // neighbouring marks are one
            {"9 > 10, 188240 + 21333 >= 200000 | 50%", "9 > 10, 188240 + 21333 >= 200000 | 50%"},
            {"0.5 [0.0, 2.0] 200,000 1,048,576", "0.5 [0.0, 2.0] 200,000 #"},
            {"1.2.3 10.0.0.1 1e5 0x10 12-34", ""},
            {"messages.0.content[1].text: #/max_tokens body.stream_options.include_usage",
             "messages.0.content[1].text: #/max_tokens body.stream_options.include_usage"},
            {"`$.tools[0].function` temperature=0.5 'role'='system'",
             "`$.tools[0].function` temperature=0.5 'role'='system'"},
            {"messages.1234567 model=gpt-9 content.secret data:image/png;base64,AA= a.b 1.2=3", ""},
            {">q >>> =+=", ""},
            {"", ""},
            {" . ", ""},
        });
}

BOOST_AUTO_TEST_CASE(characters_beyond_ascii_are_shown_unless_they_become_ascii) {
    expect(shown_words, {
                            {"无效的令牌 xq，error。", "无效的令牌 #，error。"},
                            {"“error” – «key»", "“error” – «key»"},
                            {"clé", "#é"},
                            {"error \uff53\uff4b", "error #"},  // full width "sk"
                            {"error \u2460 \u2163", "error #"}, // a circled 1, the Roman four
                            {"error\u00a0key", "error\u00a0key"},
                            {"\x1b[31m error\x07", "# error"},
                            {"error \xff", "error \ufffd"},
                        });
}

BOOST_AUTO_TEST_CASE(long_runs_are_read_only_when_they_are_known) {
    expect(readable_words, {
                               {"Bad Key abcdefghijklmno", "bad key abcdefghijklmno"},
                               {"bad key abcdefghijklmnop", "bad key #"},
                               {"'max_completion_tokens' insufficient_quota",
                                "'max_completion_tokens' insufficient_quota"},
                               {"context-length-exceeded", "#"},
                               {"at 2026-12-01T08:00:00Z.", "at 2026-12-01t08:00:00z."},
                               {"at 2026-12-01T08:00:00Zx 20261201T080000Z0", "at #"},
                               {"body.stream_options: x", "body.stream_options: x"},
                               {"body.stream_optionz: x", "# x"},
                           });
}

// A run that were hidden would never be found. A run of a phrase that is short is never hidden.
BOOST_AUTO_TEST_CASE(the_table_of_causes_speaks_in_words_that_are_read) {
    for (const Cause& cause : causes()) {
        std::string signs{cause.signs};
        for (const char mark : {'|', '=', '*'}) std::ranges::replace(signs, mark, ' ');
        BOOST_TEST(readable_words(signs) == signs);
    }
}

BOOST_AUTO_TEST_CASE(a_cut_text_loses_its_last_run_and_only_words_of_the_list_are_found) {
    BOOST_TEST(cut_at_blank("one two", 7) == "one two");
    BOOST_TEST(cut_at_blank("one two", 6) == "one");
    BOOST_TEST(cut_at_blank("onetwo", 5) == "");
    std::string text;
    while (text.size() < 1022) text += "error ";
    BOOST_TEST(shown_words(text + "errorly").size() == 1019U);
    BOOST_TEST(shown_words(std::string(5000, 'x')) == "");
    for (const char* word :
         {"", " ", "a able", "able\nabout", "erro", "errors2", "~", "0", "errorsed", "aing"})
        BOOST_TEST(!is_known_word(word), word);
    for (const char* word : {"a", "able", "zones", "error", "v1/chat/completions", "used", "using",
                             "model's", "insufficient_quota", "depleted"})
        BOOST_TEST(is_known_word(word), word);
}

struct Script {
    Answered how;
    std::string body; ///< "{k}": what is said of the key; "{c}": what the caller has sent
};
const std::vector<Script>& scripts() {
    static const std::vector<Script> all = [] {
        std::vector<Script> made;
        for (const auto& row : answers("scripts").as_array()) {
            Answered how{.protocol = find_provider_type(text_of(row.at(0)))->protocol,
                         .status = static_cast<int>(row.at(1).as_int64())};
            if (find_value(row, "/3/cut_off")) how.failure = net::HttpFailure::cut_off;
            if (const auto* wait = find_value(row, "/3/retry_after"))
                how.retry_after = text_of(*wait);
            made.push_back({how, text_of(row.at(2))});
        }
        return made;
    }();
    return all;
}
std::string written(const std::string& text, std::string_view body) {
    if (!has(body, "{") || !has(body, "\"")) return text;
    const auto string = json::serialize(json::string{text});
    return string.substr(1, string.size() - 2);
}
std::string filled(std::string_view body, const std::string& key, const std::string& caller) {
    const auto of_key = written(key, body);
    const auto of_caller = written(caller, body);
    std::string text;
    for (std::size_t at = 0; at < body.size();) {
        const auto place = body.substr(at, 3);
        if (place == "{k}" || place == "{c}") {
            text += place == "{k}" ? of_key : of_caller;
            at += 3;
        } else {
            text += body[at++];
        }
    }
    return text;
}
/// The answer to a caller who sends `text` everywhere; the upstream says `quoted` of `key`.
std::string seen(const Script& script, const std::string& key, const std::string& text,
                 const std::string& quoted) {
    ChatRequest request;
    request.model = text;
    request.system = text;
    request.messages = {{ChatMessage::Role::user, "words before " + text},
                        {ChatMessage::Role::assistant, text},
                        {ChatMessage::Role::user, text + " words behind"}};
    return hear(script.how, {filled(script.body, quoted, text)}, request, key).shown();
}
struct Keys {
    std::string one, other;
};
/// Keys of every kind. No beginning or end of one is a word or a number.
std::vector<Keys> pairs() {
    std::mt19937_64 random{20261123}; // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    const auto some = [&](std::string_view alphabet, int size) {
        std::string text;
        while (size-- > 0) text += alphabet[random() % alphabet.size()];
        return text;
    };
    const std::string letters = "BCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrtvwxz";
    const std::string all = letters + "0123456789-_";
    const std::string odd = letters + "\"\\%20+/='`{}<>,;:!#";
    std::vector<Keys> keys{{"zebra-quartz-walrus-lantern", "qfghj-bcdfgh-klmnpq-rstvwxz"},
                           {"qass%20word+phrase%2Fq", "xyzzy%41plugh%42plughz"},
                           {R"(qq"quartz\walrus"zebra\q)", "qqqfghjkqlmnpqrsqtvwxzqqq"}};
    for (int round = 0; round < 4; ++round) {
        keys.push_back({"sk-" + some(all, 30) + "q", "sk-" + some(all, 30) + "q"});
        keys.push_back({some(letters, 16), some(letters, 16)});
        keys.push_back({"q" + some(odd, 24) + "q", "q" + some(odd, 24) + "q"});
        keys.push_back({"q" + some(all, 6) + "q", "q" + some(all, 6) + "q"});
    }
    return keys;
}

BOOST_AUTO_TEST_CASE(a_guess_of_the_key_changes_no_answer) {
    for (const auto& [one, other] : pairs()) {
        const auto but_one = one.substr(0, one.size() - 1);
        for (const auto& text : {std::string{"m"}, one, other, but_one, but_one + "~",
                                 "provided: " + one, one + " x", one.substr(one.size() / 2)})
            for (const auto& script : scripts())
                BOOST_TEST(seen(script, one, text, one) == seen(script, other, text, other),
                           script.body << " and " << one << ", guessed " << text);
    }
}

BOOST_AUTO_TEST_CASE(an_upstream_that_says_a_part_of_a_key) {
    for (const auto& [one, other] : pairs())
        for (const auto& script : scripts())
            for (std::size_t size = 1; size < one.size(); ++size) {
                const auto rest = one.size() - size;
                BOOST_TEST(seen(script, one, one, one.substr(0, size)) ==
                           seen(script, other, one, other.substr(0, size)));
                BOOST_TEST(seen(script, one, one, one.substr(rest)) ==
                           seen(script, other, one, other.substr(rest)));
                BOOST_TEST(
                    seen(script, one, one, one.substr(0, size) + "..." + one.substr(rest)) ==
                    seen(script, other, one, other.substr(0, size) + "..." + other.substr(rest)));
            }
}

BOOST_AUTO_TEST_CASE(a_body_cut_anywhere) {
    for (const auto& [one, other] : pairs())
        for (auto script : scripts()) {
            script.how.failure = net::HttpFailure::cut_off;
            const auto body = filled(script.body, one, "m");
            const auto another = filled(script.body, other, "m");
            if (body.size() != another.size()) continue; // escapes
            ChatRequest request = asking();
            for (std::size_t size = 0; size <= body.size(); ++size)
                BOOST_TEST(hear(script.how, {std::string_view{body}.substr(0, size)}, request, one)
                                   .shown() == hear(script.how,
                                                    {std::string_view{another}.substr(0, size)},
                                                    request, other)
                                                   .shown(),
                           body << " cut at " << size);
        }
}
} // namespace
