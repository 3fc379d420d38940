#include "fcgi/response_head.hpp"

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

BOOST_AUTO_TEST_SUITE(response_head)

BOOST_AUTO_TEST_CASE(a_whole_answer_has_its_length) {
    web::Response response = web::Response::json("{}", 409);
    response.set("Set-Cookie", "a=1").set("Set-Cookie", "b=2");
    BOOST_TEST(whole_head(response, "abc") == "Status: 409 Conflict\r\n"
                                              "Content-Type: application/json; charset=utf-8\r\n"
                                              "Set-Cookie: a=1\r\n"
                                              "Set-Cookie: b=2\r\n"
                                              "X-Request-Id: abc\r\n"
                                              "Content-Length: 2\r\n\r\n");
    BOOST_TEST(whole_head(web::Response::no_content(), "abc") ==
               "Status: 204 No Content\r\nX-Request-Id: abc\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(a_stream_has_none) {
    web::Response response;
    response.set("Content-Type", "text/event-stream").set("x-accel-buffering", "yes");
    BOOST_TEST(stream_head(response, "abc") == "Status: 200 OK\r\n"
                                               "Content-Type: text/event-stream\r\n"
                                               "X-Request-Id: abc\r\n"
                                               "X-Accel-Buffering: no\r\n\r\n");
}

BOOST_AUTO_TEST_CASE(what_the_worker_says_itself_is_said_once) {
    web::Response response;
    response.set("x-request-id", "forged").set("content-length", "99");
    BOOST_TEST(whole_head(response, "abc") ==
               "Status: 200 OK\r\nX-Request-Id: abc\r\nContent-Length: 0\r\n\r\n");
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
