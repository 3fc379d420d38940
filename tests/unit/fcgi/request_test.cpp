#include "fcgi/request.hpp"

#include "base/error.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

using Lines = std::vector<std::string>;

web::Request filled(const Lines& lines, const std::string& body = {}) {
    std::vector<const char*> params;
    for (const std::string& line : lines) params.push_back(line.c_str());
    params.push_back(nullptr);
    web::Request request;
    fill_request(request, params.data(), WipedString{body}, body.size(), "id");
    return request;
}

std::string refused(Lines lines, const std::string& body = {}) {
    lines.insert(lines.begin(), "REQUEST_METHOD=POST");
    try {
        filled(lines, body);
    } catch (const Refusal& refusal) {
        BOOST_TEST(refusal.status() == 400);
        return refusal.field();
    }
    return "served";
}

} // namespace

BOOST_AUTO_TEST_SUITE(request)

BOOST_AUTO_TEST_CASE(parameters_become_a_request) {
    const web::Request request = filled(
        {"FCGI_ROLE=RESPONDER", "REQUEST_METHOD=PUT", "REQUEST_URI=/a/%62?x=1?y=/2",
         "REMOTE_ADDR=192.0.2.7", "CONTENT_LENGTH=3", "CONTENT_TYPE=text/plain",
         "HTTP_ACCEPT_LANGUAGE=de", "HTTP_X_EQUALS=a=b", "HTTP_X_EMPTY=", "HTTP_COOKIE=a=1; b=2"},
        "abc");
    BOOST_TEST((request.method == web::Method::put));
    BOOST_TEST(request.path == "/a/%62");
    BOOST_TEST((request.query == "x=1?y=/2"));
    BOOST_TEST(request.client_address == "192.0.2.7");
    BOOST_TEST((request.body == "abc"));
    BOOST_TEST(request.body_size == 3U);
    BOOST_TEST(request.id == "id");
    BOOST_TEST(*request.header("content-type") == "text/plain");
    BOOST_TEST(*request.header("accept-language") == "de");
    BOOST_TEST(*request.header("x-equals") == "a=b");
    BOOST_TEST(*request.header("x-empty") == "");
    BOOST_TEST(*request.cookie("b") == "2");
}

BOOST_AUTO_TEST_CASE(names_of_headers) {
    const web::Request request =
        filled({"REQUEST_METHOD=GET", "REQUEST_URI=/", "HTTP___REQUESTVERIFICATIONTOKEN=t",
                "HTTP_REQUESTVERIFICATIONTOKEN=u", "HTTP_X_REQUEST_ID=forged",
                "HTTP_CONTENT_LENGTH=0", "SERVER_NAME=x"});
    BOOST_TEST(*request.header("__requestverificationtoken") == "t");
    BOOST_TEST(*request.header("requestverificationtoken") == "u");
    BOOST_TEST(request.headers.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_method_that_we_do_not_know_is_other) {
    BOOST_TEST((filled({"REQUEST_METHOD=PATCH", "REQUEST_URI=/"}).method == web::Method::other));
    BOOST_TEST((filled({"REQUEST_URI=/"}).method == web::Method::other));
}

BOOST_AUTO_TEST_CASE(the_content_type_stands_in_two_parameters) {
    const auto type = [](const Lines& lines) {
        Lines all = {"REQUEST_METHOD=POST", "REQUEST_URI=/"};
        all.insert(all.end(), lines.begin(), lines.end());
        return std::string{filled(all).header("content-type").value_or("none")};
    };
    BOOST_TEST(type({"CONTENT_TYPE=a/b", "HTTP_CONTENT_TYPE=a/b"}) == "a/b");
    BOOST_TEST(type({"CONTENT_TYPE=", "HTTP_CONTENT_TYPE=a/b"}) == "a/b");
    BOOST_TEST(type({"HTTP_CONTENT_TYPE=a/b"}) == "a/b");
    BOOST_TEST(type({"CONTENT_TYPE="}) == "none");
}

BOOST_AUTO_TEST_CASE(other_headers_may_stand_twice) {
    const web::Request request =
        filled({"REQUEST_METHOD=GET", "REQUEST_URI=/", "HTTP_ACCEPT=a", "HTTP_ACCEPT=b"});
    BOOST_TEST(request.headers.count("accept") == 2U);
    BOOST_TEST(!request.header("accept").has_value());
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
    BOOST_TEST(refused({"REQUEST_URI=/"}) == "served");
    BOOST_TEST(refused({"REQUEST_URI=/", "CONTENT_LENGTH="}) == "served");
    BOOST_TEST(refused({"REQUEST_URI=/", "HTTP_COOKIE=a", "HTTP_COOKIE=a"}) == "Cookie");
    BOOST_TEST(refused({"REQUEST_URI=/", "CONTENT_TYPE=a", "CONTENT_TYPE=a"}) == "Content-Type");
    BOOST_TEST(refused({"REQUEST_URI=/", "HTTP_CONTENT_TYPE=a", "HTTP_CONTENT_TYPE=a"}) ==
               "Content-Type");
    BOOST_TEST(refused({"REQUEST_URI=/", "CONTENT_TYPE=a", "HTTP_CONTENT_TYPE=b"}) ==
               "Content-Type");
    BOOST_TEST(refused({"REQUEST_URI=/", "CONTENT_LENGTH=0", "CONTENT_LENGTH=0"}) ==
               "Content-Length");
    BOOST_TEST(refused({"REQUEST_URI=/", "REQUEST_METHOD=GET"}) == "method");
    BOOST_TEST(refused({"REQUEST_URI=/", "REQUEST_URI=/"}) == "path");
    BOOST_TEST(refused({}) == "path");
    BOOST_TEST(refused({"REQUEST_URI="}) == "path");
    BOOST_TEST(refused({"REQUEST_URI=*"}) == "path");
    BOOST_TEST(refused({"REQUEST_URI=?a=/"}) == "path");
    BOOST_TEST(refused({"REQUEST_URI=http://host/"}) == "path");
    BOOST_TEST(refused({"REQUEST_URI=/", "CONTENT_LENGTH=3"}, "abc") == "served");
    for (const auto* length :
         {"2", "4", "-3", "+3", "0x3", "3 ", " 3", "3.0", "99999999999999999999"})
        BOOST_TEST(refused({"REQUEST_URI=/", "CONTENT_LENGTH=" + std::string{length}}, "abc") ==
                       "Content-Length",
                   length);
}

BOOST_AUTO_TEST_SUITE_END()
