#include "app/answer.hpp"

#include "tests/unit/app/support.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <string>

using namespace usershell;
using namespace usershell::app;
using namespace usershell::test;
using std::chrono::seconds;

namespace {

const std::string templates = std::string{USERSHELL_SOURCE_DIR} + "/templates";

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(answer)

BOOST_AUTO_TEST_CASE(a_refusal_as_json_has_exactly_the_contracts_members) {
    const struct {
        Refusal refusal;
        int status;
        std::string body;
    } table[] = {
        {not_found(), 404,
         R"({"error":"There is nothing here.","code":"not_found","requestId":"r-1"})"},
        {missing("apiKey"), 400,
         R"({"error":"apiKey is required.","code":"missing_field","field":"apiKey","requestId":"r-1"})"},
        {invalid("baseUrl", "Not a \"URL\"."), 400,
         R"({"error":"Not a \"URL\".","code":"invalid_field","field":"baseUrl","requestId":"r-1"})"},
        {Refusal{ErrorCode::not_signed_in, "Sign in first."}, 401,
         R"({"error":"Sign in first.","code":"not_signed_in","requestId":"r-1"})"},
        {Refusal{ErrorCode::cap_reached, "Full."}, 400,
         R"({"error":"Full.","code":"cap_reached","requestId":"r-1"})"},
        {Refusal{ErrorCode::conflict, "Taken."}, 409,
         R"({"error":"Taken.","code":"conflict","requestId":"r-1"})"},
        {Refusal{ErrorCode::internal_error, "Ours."}, 500,
         R"({"error":"Ours.","code":"internal_error","requestId":"r-1"})"},
        {Refusal{ErrorCode::upstream_timeout, "Late."}, 504,
         R"({"error":"Late.","code":"upstream_timeout","requestId":"r-1"})"},
    };
    for (const auto& row : table) {
        const web::Response response = answer_json(row.refusal, "r-1");
        BOOST_TEST(response.body == row.body);
        BOOST_TEST(response.status == row.status);
        BOOST_TEST(only_header(response, "Content-Type") == "application/json; charset=utf-8");
        BOOST_TEST(header(response, "Retry-After").empty());
    }
}

BOOST_AUTO_TEST_CASE(retry_after_is_whole_seconds_and_at_least_one) {
    const struct {
        seconds wait;
        std::string header;
    } table[] = {{seconds{7}, "7"}, {seconds{1}, "1"}, {seconds{0}, "1"}, {seconds{-5}, "1"}};
    const web::Pages pages{templates};
    for (const auto& row : table) {
        const Refusal refusal = unavailable("Later.", row.wait);
        BOOST_TEST(only_header(answer_json(refusal, "r"), "Retry-After") == row.header);
        BOOST_TEST(only_header(answer_page(refusal, "r", pages), "Retry-After") == row.header);
    }
}

BOOST_AUTO_TEST_CASE(a_refusal_as_a_page_keeps_its_status_and_names_the_request) {
    const web::Pages pages{templates};
    const ErrorCode codes[] = {ErrorCode::not_found,     ErrorCode::method_not_allowed,
                               ErrorCode::conflict,      ErrorCode::body_too_large,
                               ErrorCode::rate_limited,  ErrorCode::unavailable,
                               ErrorCode::invalid_field, ErrorCode::internal_error};
    for (const ErrorCode code : codes) {
        const web::Response response =
            answer_page(Refusal{code, "It's <here> & so."}, "3f2c<9", pages);
        BOOST_TEST(response.status == status_of(code));
        BOOST_TEST(only_header(response, "Content-Type") == "text/html; charset=utf-8");
        BOOST_TEST(holds(response.body, "It&#39;s &lt;here&gt; &amp; so."), response.body);
        BOOST_TEST(holds(response.body, "3f2c&lt;9"), response.body);
        BOOST_TEST(holds(response.body, std::to_string(status_of(code))), response.body);
        BOOST_TEST(holds(response.body, "<h1>"), response.body);
    }
}

BOOST_AUTO_TEST_SUITE_END()
