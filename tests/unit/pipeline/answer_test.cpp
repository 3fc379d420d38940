// What a refusal is answered with: in JSON, in the forms of /v1, and as a page.
#include "pipeline/answer.hpp"
#include "pipeline/page.hpp"
#include "tests/unit/pipeline/support.hpp"
#include <boost/json/serialize.hpp>
using namespace usershell::pipeline;
using std::chrono::seconds;
namespace {
struct Answerer {
    web::Response operator()(const Refusal& refusal, ErrorForm form,
                             const std::string& accept = "") const {
        return answer(refusal, request(web::Method::get, "/", {{"accept", accept}}), &pages, form);
    }
    web::Pages pages = pages::load_pages(std::string{USERSHELL_SOURCE_DIR} + "/templates");
};

BOOST_AUTO_TEST_CASE(as_json_it_has_exactly_the_contracts_members) {
    const std::tuple<Refusal, int, std::string> table[] = {
        {not_found(), 404,
         R"({"error":"There is nothing here.","code":"not_found","requestId":"request-1"})"},
        {invalid("baseUrl", R"(Not a "URL".)"_en), 400,
         R"({"error":"Not a \"URL\".","code":"invalid_field","field":"baseUrl","requestId":"request-1"})"},
        {missing("{field}"), 400,
         R"({"error":"{field} is required.","sentence":{"text":"{field} is required.","values":{"field":"{field}"}},"code":"missing_field","field":"{field}","requestId":"request-1"})"},
        {Refusal{ErrorCode::upstream_timeout, "Late."_en}, 504,
         R"({"error":"Late.","code":"upstream_timeout","requestId":"request-1"})"},
        {Refusal{ErrorCode::upstream_error, "Refused."_en}.because("key_refused"), 502,
         R"({"error":"Refused.","code":"upstream_error","reason":"key_refused","requestId":"request-1"})"},
    };
    const Answerer answered;
    for (const auto& [refusal, status, body] : table) {
        const web::Response response = answered(refusal, ErrorForm::json, "text/html");
        BOOST_TEST(response.body == body);
        BOOST_TEST(response.status == status);
        BOOST_TEST(only_header(response, "Content-Type") == "application/json; charset=utf-8");
        BOOST_TEST(only_header(response, "Cache-Control") == "no-store");
        BOOST_TEST(header(response, "Retry-After").empty());
    }
}

BOOST_AUTO_TEST_CASE(as_a_page_it_keeps_its_status_and_names_the_request) {
    const Answerer answered;
    for (const ErrorCode code :
         {ErrorCode::not_found, ErrorCode::method_not_allowed, ErrorCode::conflict,
          ErrorCode::body_too_large, ErrorCode::rate_limited, ErrorCode::unavailable,
          ErrorCode::invalid_field, ErrorCode::internal_error}) {
        const web::Response response =
            answered(Refusal{code, "It's <here> & so."_en}, ErrorForm::page);
        BOOST_TEST(response.status == status_of(code));
        BOOST_TEST(only_header(response, "Content-Type") == "text/html; charset=utf-8");
        for (const std::string& part : {std::string{"It&#39;s &lt;here&gt; &amp; so."},
                                        std::string{"request-1"}, std::to_string(status_of(code))})
            BOOST_TEST(has(response.body, part), response.body);
    }
}

BOOST_AUTO_TEST_CASE(the_wait_is_told_in_either_form) {
    const Answerer answered;
    for (const ErrorForm form : {ErrorForm::json, ErrorForm::page})
        BOOST_TEST(only_header(answered(unavailable("Later."_en, seconds{7}), form),
                               "Retry-After") == "7");
}

BOOST_AUTO_TEST_CASE(where_no_route_says_the_form_the_client_does) {
    const Answerer answered;
    const auto type = [&](const std::string& accept) {
        return only_header(answered(not_found(), ErrorForm::as_accepted, accept), "Content-Type");
    };
    BOOST_TEST(type("text/html,*/*").starts_with("text/html"));
    BOOST_TEST(type("*/*").starts_with("application/json"));
    BOOST_TEST(type("").starts_with("application/json"));
}

BOOST_AUTO_TEST_CASE(without_a_page_it_is_json) {
    const CapturedLog quiet;
    const web::Pages none{std::string{USERSHELL_SOURCE_DIR} + "/templates", {}};
    for (const web::Pages* const pages : {&none, static_cast<const web::Pages*>(nullptr)}) {
        const web::Response response = answer(not_found(), web::Request{}, pages, ErrorForm::page);
        BOOST_TEST(response.status == 404);
        BOOST_TEST(has(response.body, R"("code":"not_found")"));
    }
}

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
    const auto after_a_day = [](std::string_view reason) {
        const auto answer = api_error(because(reason).retry_after(24h), ErrorForm::openai, "id");
        std::string told = std::to_string(answer.status);
        for (const auto& [name, value] : answer.headers)
            if (name == "Retry-After") told += " " + value;
        return told + (has(answer.body, "insufficient_quota") ? " spent" : "");
    };
    BOOST_TEST(after_a_day("rate_limited") == "402 spent");
    BOOST_TEST(after_a_day("overloaded") == "503 3600");
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
        {"/openai/v1/chat/completions", "/v1/chat/completions"},
        {"/api/v1/chat/completions/", "/v1/chat/completions"},
        {"/api//openai/v2/embeddings", "/v1/embeddings"},
        {"/v1/openai/chat/completions", "/v1/chat/completions"},
        {"/anthropic/v1/messages", "/v1/messages"},
        {"/v1beta/models/a", "/v1/models/a"},
        {"/openai/v1", "/v1"},
        {"/openai/v1/files", "/v1"},
        {"/openai/v2/files", ""},
        {"/user/v1/models", ""},
        {"/user/models", ""},
        {"/version/models", ""},
        {"/modelship", ""},
    };
    for (const auto& [path, route] : table) BOOST_TEST(slip_of(path).value_or("") == route, path);
    const auto refusal = unknown_route("/chat/completions", "/v1/chat/completions");
    BOOST_TEST(has(refusal.sentence().english(), "is /v1/chat/completions:"));
    BOOST_TEST(api_status(refusal, ErrorForm::openai) == 404);
    BOOST_TEST(api_status(refusal, ErrorForm::responses) == 400);
}

namespace {
struct Visit {
    explicit Visit(const std::string& cookie)
        : made{request(web::Method::get, "/auth/login", {{"cookie", cookie}})} {}
    web::Response shown() const {
        static const web::Pages pages{std::string{USERSHELL_SOURCE_DIR} + "/templates", {"login"}};
        return page_answer(context, pages, pages::Page::login, data);
    }
    /// Its sentence, "" when there is none.
    std::string notice() const {
        const auto section = data.sections.find("NOTICE");
        if (section == data.sections.end()) return "";
        BOOST_TEST(section->second.size() == 1U);
        return section->second.front().sentences.at("MESSAGE").english();
    }
    store::Database store{no_store, 1};
    store::Lease lease{store};
    web::Request made;
    RequestContext context{made, lease};
    web::PageData data = page_frame(context, "Sign in"_en);
};

BOOST_AUTO_TEST_CASE(a_notice_travels_with_the_redirect_and_is_shown_once) {
    const std::string attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=";
    const int last = static_cast<int>(Notice::token_revoked);
    std::set<std::string> sentences;
    for (int notice = 0; notice <= last; ++notice) {
        const auto redirect = see_other("/user/settings/profile", static_cast<Notice>(notice));
        BOOST_TEST(redirect.status == 303);
        const std::string location = only_header(redirect, "Location");
        BOOST_TEST(location.substr(0, location.find('#')) == "/user/settings/profile");
        const std::string cookie = only_header(redirect, "Set-Cookie");
        BOOST_TEST(cookie.ends_with(attributes + "60"), cookie);
        const Visit visit{cookie.substr(0, cookie.find(';'))};
        sentences.insert(visit.notice());
        const web::Response shown = visit.shown();
        BOOST_TEST(has(shown.body, visit.notice()));
        BOOST_TEST(only_header(shown, "Set-Cookie") ==
                   "__Host-usershell-notice=" + attributes + "0");
    }
    BOOST_TEST(!sentences.contains(""));
    BOOST_TEST(sentences.size() == last + 1U);
}

BOOST_AUTO_TEST_CASE(a_notice_stands_in_the_part_that_it_is_about_where_the_page_has_it) {
    BOOST_TEST(only_header(see_other("/x", Notice::name_saved), "Location") == "/x#name");
    const web::Pages pages{std::string{USERSHELL_SOURCE_DIR} + "/templates", {"login", "profile"}};
    const Visit visit{"__Host-usershell-notice=name-saved"};
    const auto where = [&](pages::Page page, const char* before) {
        const std::string body = page_answer(visit.context, pages, page, visit.data).body;
        const auto part = body.find(before);
        BOOST_REQUIRE(part != std::string::npos);
        return body.find(visit.notice()) > part;
    };
    BOOST_TEST(where(pages::Page::profile, "id=\"name-title\""));
    BOOST_TEST(!where(pages::Page::login, "<form"));
}

BOOST_AUTO_TEST_CASE(only_words_of_ours_are_notices_and_a_stranger_is_nobody) {
    for (const char* const cookie :
         {"", "__Host-usershell-notice=", "__Host-usershell-notice=pay%20me",
          "__Host-usershell-notice=<b>hello</b>", "__Host-usershell-notice=NAME-SAVED",
          "usershell-notice=name-saved"}) {
        const Visit visit{cookie};
        BOOST_TEST(visit.data.sections.empty(), cookie);
        BOOST_TEST(!visit.data.values.contains("ANTIFORGERY"));
        BOOST_TEST(header(visit.shown(), "Set-Cookie").empty(), cookie);
    }
}
} // namespace
