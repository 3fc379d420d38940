#include "fcgi/own_answers.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

std::string header(const web::Response& response, const std::string& name) {
    const auto found = std::find_if(response.headers.begin(), response.headers.end(),
                                    [&](const auto& each) { return each.first == name; });
    return found == response.headers.end() ? "none" : found->second;
}

web::Request request_accepting(const std::string& accept) {
    web::Request request;
    request.id = "abc";
    if (!accept.empty()) request.headers.emplace("accept", accept);
    return request;
}

} // namespace

BOOST_AUTO_TEST_SUITE(own_answers)

BOOST_AUTO_TEST_CASE(a_program_gets_the_contracts_error_body) {
    const web::Response response = own_answer(unavailable("Busy.", std::chrono::seconds{3}),
                                              request_accepting("application/json"));
    BOOST_TEST(response.status == 503);
    BOOST_TEST(response.body == R"({"error":"Busy.","code":"unavailable","requestId":"abc"})");
    BOOST_TEST(header(response, "Content-Type") == "application/json; charset=utf-8");
    BOOST_TEST(header(response, "Retry-After") == "3");
    BOOST_TEST(header(response, "Cache-Control") == "no-store");
}

BOOST_AUTO_TEST_CASE(the_field_is_named) {
    const web::Response response = own_answer(invalid("Cookie", "Twice."), request_accepting(""));
    BOOST_TEST(response.body ==
               R"({"error":"Twice.","code":"invalid_field","field":"Cookie","requestId":"abc"})");
    BOOST_TEST(header(response, "Retry-After") == "none");
}

BOOST_AUTO_TEST_CASE(a_browser_gets_a_page) {
    const web::Response response = own_answer(unavailable("Busy.", std::chrono::seconds{3}),
                                              request_accepting("text/html,*/*;q=0.8"));
    BOOST_TEST(header(response, "Content-Type") == "text/html; charset=utf-8");
    BOOST_TEST(response.body.find("Busy.") != std::string::npos);
    BOOST_TEST(response.body.find("<code>abc</code>") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
