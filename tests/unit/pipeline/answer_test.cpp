#include "pipeline/answer.hpp"
#include "tests/unit/pipeline/support.hpp"
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
} // namespace
