#include "fcgi/response.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::fcgi;
namespace {
web::Request filled(const std::vector<Param>& params, std::string_view body = {}) {
    RequestRecords records;
    records.params = params;
    records.body = body;
    records.body_size = body.size();
    web::Request request;
    fill_request(request, records);
    return request;
}
std::string refused(std::vector<Param> params, std::string_view body = {}) {
    params.insert(params.begin(), {"REQUEST_METHOD", "POST"});
    try {
        filled(params, body);
    } catch (const Refusal& refusal) {
        BOOST_TEST(refusal.status() == 400);
        return refusal.field();
    }
    return "served";
}

BOOST_AUTO_TEST_CASE(parameters_become_a_request) {
    const web::Request request = filled({{"SERVER_NAME", "x"},
                                         {"REQUEST_METHOD", "PUT"},
                                         {"REQUEST_URI", "/a/%62?x=1?y=/2"},
                                         {"REMOTE_ADDR", "192.0.2.7"},
                                         {"CONTENT_LENGTH", "3"},
                                         {"CONTENT_TYPE", "text/plain"},
                                         {"HTTP_ACCEPT_LANGUAGE", "de"},
                                         {"HTTP_X_EMPTY", ""},
                                         {"HTTP___REQUESTVERIFICATIONTOKEN", "t"},
                                         {"HTTP_REQUESTVERIFICATIONTOKEN", "u"},
                                         {"HTTP_X_REQUEST_ID", "forged"},
                                         {"HTTP_CONTENT_LENGTH", "0"},
                                         {"HTTP_COOKIE", "a=1; b=2"},
                                         {"HTTP_ACCEPT", "a"},
                                         {"HTTP_ACCEPT", "b"}},
                                        "abc");
    BOOST_TEST((request.method == web::Method::put));
    BOOST_TEST(request.path == "/a/%62");
    BOOST_TEST((request.query == "x=1?y=/2"));
    BOOST_TEST(request.client_address == "192.0.2.7");
    BOOST_TEST((request.body == "abc"));
    BOOST_TEST(request.body_size == 3U);
    std::string headers;
    for (const auto& [name, value] : request.headers)
        headers.append(name).append(": ").append(value).append("\n");
    BOOST_TEST(headers == "__requestverificationtoken: t\n"
                          "accept: a\n"
                          "accept: b\n"
                          "accept-language: de\n"
                          "content-type: text/plain\n"
                          "cookie: a=1; b=2\n"
                          "requestverificationtoken: u\n"
                          "x-empty: \n");
}

BOOST_AUTO_TEST_CASE(the_content_type_stands_in_two_parameters) {
    const Param method{"REQUEST_METHOD", "POST"}, root{"REQUEST_URI", "/"};
    const Param of_nginx{"HTTP_CONTENT_TYPE", "a/b"};
    const std::vector<Param> rows[] = {{method, root, {"CONTENT_TYPE", "a/b"}, of_nginx},
                                       {method, root, {"CONTENT_TYPE", ""}, of_nginx},
                                       {method, root, of_nginx}};
    for (const auto& params : rows)
        BOOST_TEST(filled(params).header("content-type").value_or("none") == "a/b");
}

BOOST_AUTO_TEST_CASE(what_is_refused) {
    const Param root{"REQUEST_URI", "/"};
    const std::pair<std::vector<Param>, std::string> rows[] = {
        {{root}, "served"},
        {{root, {"HTTP_COOKIE", "a"}, {"HTTP_COOKIE", "a"}}, "Cookie"},
        {{root, {"CONTENT_TYPE", "a"}, {"CONTENT_TYPE", "a"}}, "Content-Type"},
        {{root, {"CONTENT_TYPE", "a"}, {"HTTP_CONTENT_TYPE", "b"}}, "Content-Type"},
        {{root, {"CONTENT_LENGTH", "0"}, {"CONTENT_LENGTH", "0"}}, "Content-Length"},
        {{root, {"REMOTE_ADDR", "::1"}, {"REMOTE_ADDR", "::1"}}, "client address"},
        {{root, {"REQUEST_METHOD", "GET"}}, "method"},
        {{root, root}, "path"},
        {{}, "path"},
        {{{"REQUEST_URI", "*"}}, "path"},
        {{{"REQUEST_URI", "http://host/"}}, "path"},
    };
    for (const auto& [params, expected] : rows) BOOST_TEST(refused(params) == expected);
    for (const std::string_view length : {"2", "4", "-3", "0x3", "3 ", "99999999999999999999"})
        BOOST_TEST(refused({root, {"CONTENT_LENGTH", length}}, "abc") == "Content-Length", length);
    BOOST_TEST(refused({root, {"CONTENT_LENGTH", "3"}}, "abc") == "served");
}
} // namespace
