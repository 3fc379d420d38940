#include "fcgi/response.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

bool goes_out(const std::string& name, const std::string& value) {
    web::Response response;
    response.headers.emplace_back(name, value);
    try {
        whole_head(response, "id");
        stream_head(response, "id");
    } catch (const BadHead& bad) {
        BOOST_TEST(std::string{bad.what()}.find("secret") == std::string::npos);
        return false;
    }
    return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(response)

BOOST_AUTO_TEST_CASE(heads_as_cgi_writes_them) {
    web::Response response = web::Response::json("{}", 409);
    response.headers.emplace_back("Set-Cookie", "a=1");
    response.headers.emplace_back("Set-Cookie", "b=2");
    response.set("x-request-id", "forged");
    response.set("content-length", "99").set("x-accel-buffering", "yes");
    const std::string common = "Status: 409 Conflict\r\n"
                               "Content-Type: application/json; charset=utf-8\r\n"
                               "Set-Cookie: a=1\r\n"
                               "Set-Cookie: b=2\r\n";
    BOOST_TEST(whole_head(response, "abc") ==
               common + "x-accel-buffering: yes\r\nX-Request-Id: abc\r\nContent-Length: 2\r\n\r\n");
    BOOST_TEST(stream_head(response, "abc") ==
               common + "X-Request-Id: abc\r\nX-Accel-Buffering: no\r\n\r\n");
    BOOST_TEST(whole_head(web::Response::no_content(), "abc") ==
               "Status: 204 No Content\r\nX-Request-Id: abc\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(bad_headers_do_not_go_out) {
    const std::vector<std::pair<std::string, std::string>> good = {{"X-Value", ""},
                                                                   {"X-Value", "a\tb"},
                                                                   {"X-Value", "caf\xc3\xa9"},
                                                                   {"!#$%&'*+-.^_`|~09azAZ", "x"}};
    for (const auto& [name, value] : good) BOOST_TEST(goes_out(name, value), name);
    const std::vector<std::pair<std::string, std::string>> bad = {
        {"X-Value", "secret\r\nSet-Cookie: b"},
        {"X-Value", "secret\n"},
        {"X-Value", "secret\r"},
        {"X-Value", std::string{"secret\0", 7}},
        {"X-Value", "secret\x1b"},
        {"X-Value", "secret\x7f"},
        {"", "secret"},
        {"X Value", "secret"},
        {"X-Value:", "secret"},
        {"X\r\nY", "secret"},
        {"Status", "200 secret"},
        {"transfer-encoding", "chunked secret"},
        {"Connection", "secret"},
    };
    for (const auto& [name, value] : bad) BOOST_TEST(!goes_out(name, value), name);
}

BOOST_AUTO_TEST_CASE(a_status_is_one_that_the_contract_knows) {
    for (const int status : {0, 99, 100, 199, 299, 600, -1}) {
        web::Response response;
        response.status = status;
        BOOST_CHECK_THROW(whole_head(response, "id"), BadHead);
    }
}

BOOST_AUTO_TEST_SUITE_END()
