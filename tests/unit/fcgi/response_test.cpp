#include "fcgi/response.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::fcgi;
namespace {
bool goes_out(const std::string& name, const std::string& value) {
    web::Response response;
    response.headers.emplace_back(name, value);
    try {
        whole_head(response, "id");
        stream_head(response, "id");
    } catch (const BadHead& bad) {
        BOOST_TEST(!has(std::string{bad.what()}, "secret"));
        return false;
    }
    return true;
}

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
    for (const std::string value : {"", "a\tb", "caf\xc3\xa9"})
        BOOST_TEST(goes_out("X-Value", value), value);
    BOOST_TEST(goes_out("!#$%&'*+-.^_`|~09azAZ", "x"));
    for (const std::string& value : {"secret\r\nSet-Cookie: b"s, "secret\n"s, "secret\r"s,
                                     "secret\0"s, "secret\x1b"s, "secret\x7f"s})
        BOOST_TEST(!goes_out("X-Value", value), value);
    for (const std::string name :
         {"", "X Value", "X-Value:", "X\r\nY", "Status", "transfer-encoding", "Connection"})
        BOOST_TEST(!goes_out(name, "secret"), name);
}
} // namespace
