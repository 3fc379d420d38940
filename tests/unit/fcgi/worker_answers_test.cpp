// Requests and answers, as a web server sees them.
#include "probe_process.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool is_request_id(const std::string& id) {
    return id.size() == 32 && id.find_first_not_of("0123456789abcdef") == std::string::npos;
}

} // namespace

BOOST_AUTO_TEST_SUITE(worker_answers)

BOOST_AUTO_TEST_CASE(a_plain_answer) {
    const ReadyProbe probe;
    const Reply reply = probe.ask("GET", "/plain", {}, {{"HTTP_X_REQUEST_ID", "forged"}});
    BOOST_TEST(reply.ended);
    BOOST_TEST(reply.header("Status") == "200 OK");
    BOOST_TEST(reply.header("Content-Length") == "5");
    BOOST_TEST(reply.body() == "hello");
    BOOST_TEST(is_request_id(reply.header("X-Request-Id")));
    BOOST_TEST(probe.ask("GET", "/plain").header("X-Request-Id") != reply.header("X-Request-Id"));
    const Reply empty = probe.ask("GET", "/empty");
    BOOST_TEST(empty.status() == 204);
    BOOST_TEST(empty.body().empty());
    BOOST_TEST(is_request_id(empty.header("X-Request-Id")));
}

BOOST_AUTO_TEST_CASE(the_application_sees_the_request) {
    const ReadyProbe probe;
    const Reply reply = probe.ask("PUT", "/echo?a=%2F&b", "the body",
                                  {{"CONTENT_TYPE", "text/plain"},
                                   {"HTTP_COOKIE", "a=1"},
                                   {"HTTP___REQUESTVERIFICATIONTOKEN", "t"}});
    BOOST_TEST(reply.body() ==
               "PUT\n/echo\na=%2F&b\n192.0.2.7\n8\n"
               "__requestverificationtoken: t\ncontent-type: text/plain\ncookie: a=1\n"
               "\nthe body");
}

BOOST_AUTO_TEST_CASE(large_bodies_both_ways) {
    const ReadyProbe probe{{"body=400000"}};
    std::string body;
    for (int i = 0; body.size() < 400'000; ++i) body.push_back(static_cast<char>(i * 7));
    const Reply reply = probe.ask("POST", "/echo", body);
    BOOST_TEST(reply.ended);
    BOOST_TEST(contains(reply.body(), "\n400000\n"));
    BOOST_TEST((reply.body().substr(reply.body().size() - body.size()) == body));
    const Reply over = probe.ask("POST", "/echo", body + "x");
    BOOST_TEST(over.status() == 200);
    BOOST_TEST(over.body() == "POST\n/echo\n\n192.0.2.7\n400001\n\n");
    BOOST_TEST(probe.ask("GET", "/large").body().size() == 3'000'000U);
}

BOOST_AUTO_TEST_CASE(a_cut_body_is_refused) {
    const ReadyProbe probe;
    const Reply reply = probe.ask("POST", "/echo", {}, {{"HTTP_ACCEPT", "*/*"}});
    BOOST_TEST(reply.status() == 200);
    Client client{probe.socket()};
    client.send(begin_record() +
                record(fastcgi::params, 1,
                       name_value("REQUEST_METHOD", "POST") + name_value("REQUEST_URI", "/echo") +
                           name_value("CONTENT_LENGTH", "10")) +
                record(fastcgi::params, 1, {}) + record(fastcgi::standard_input, 1, "short") +
                record(fastcgi::standard_input, 1, {}));
    const Reply cut = client.read_reply();
    BOOST_TEST(cut.status() == 400);
    BOOST_TEST(contains(cut.body(), "\"code\":\"invalid_field\""));
    BOOST_TEST(contains(cut.body(), cut.header("X-Request-Id")));
}

BOOST_AUTO_TEST_CASE(head_has_the_length_and_no_body) {
    const ReadyProbe probe;
    const Reply reply = probe.ask("HEAD", "/plain");
    BOOST_TEST(reply.ended);
    BOOST_TEST(reply.header("Content-Length") == "5");
    BOOST_TEST(reply.body().empty());
    BOOST_TEST(probe.ask("HEAD", "/frames").body().empty());
}

BOOST_AUTO_TEST_CASE(repeated_headers_are_refused) {
    const ReadyProbe probe;
    const Reply cookies =
        probe.ask("GET", "/plain", {}, {{"HTTP_COOKIE", "a=1"}, {"HTTP_COOKIE", "a=2"}});
    BOOST_TEST(cookies.status() == 400);
    BOOST_TEST(contains(cookies.body(), "\"field\":\"Cookie\""));
    BOOST_TEST(contains(probe.log(), cookies.header("X-Request-Id")));
    const Reply types =
        probe.ask("POST", "/plain", {}, {{"CONTENT_TYPE", "a/b"}, {"CONTENT_TYPE", "c/d"}});
    BOOST_TEST(types.status() == 400);
}

BOOST_AUTO_TEST_CASE(a_forged_header_never_goes_out) {
    ReadyProbe probe;
    for (const std::string path : {"/bad-header", "/bad-stream"}) {
        const Reply reply = probe.ask("GET", path);
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.status() == 500);
        BOOST_TEST(!contains(reply.output, "Set-Cookie"));
        BOOST_TEST(!contains(reply.output, "never"));
        BOOST_TEST(contains(reply.body(), "\"code\":\"internal_error\""));
    }
    BOOST_TEST(probe.next_report() == "closed");
    BOOST_TEST(contains(probe.log(), "bad response head"));
    BOOST_TEST(!contains(probe.log(), "Set-Cookie"));
}

BOOST_AUTO_TEST_CASE(an_exception_is_a_500_and_its_text_stays_here) {
    const ReadyProbe probe;
    for (const std::string path : {"/throw", "/throw-number", "/nothing"}) {
        const Reply reply = probe.ask("GET", path, {}, {{"HTTP_ACCEPT", "text/html"}});
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.status() == 500);
        BOOST_TEST(contains(reply.body(), reply.header("X-Request-Id")));
        BOOST_TEST(!contains(reply.output, "secret"));
    }
    BOOST_TEST(contains(probe.log(), "request failed"));
    BOOST_TEST(!contains(probe.log(), "secret"));
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
}

BOOST_AUTO_TEST_CASE(a_stream_goes_out_piece_by_piece) {
    ReadyProbe probe;
    const Reply frames = probe.ask("GET", "/frames");
    BOOST_TEST(frames.ended);
    BOOST_TEST(frames.header("X-Accel-Buffering") == "no");
    BOOST_TEST(frames.header("Content-Length").empty());
    BOOST_TEST(is_request_id(frames.header("X-Request-Id")));
    BOOST_TEST(frames.body() == "frame 0\nframe 1\nframe 2\n");

    Client client{probe.socket()};
    client.send(whole_request("GET", "/hold-stream"));
    client.read_until("first\n");
    BOOST_TEST(probe.next_report() == "held");
    probe.release(1);
    const Reply rest = client.read_reply();
    BOOST_TEST(rest.ended);
    BOOST_TEST(rest.body() == "first\nlast\n");
}

BOOST_AUTO_TEST_CASE(a_stream_that_fails_is_seen_to_be_broken) {
    const ReadyProbe probe;
    const Reply reply = probe.ask("GET", "/broken-stream");
    BOOST_TEST(!reply.ended);
    BOOST_TEST(reply.body() == "part\n");
    BOOST_TEST(!contains(probe.log(), "secret"));
}

BOOST_AUTO_TEST_CASE(a_client_that_leaves_is_seen) {
    ReadyProbe probe;
    Client client{probe.socket()};
    client.send(whole_request("POST", "/wait-until-gone", "a body"));
    client.read_until("start\n");
    BOOST_TEST(probe.next_report() == "there");
    client.close();
    BOOST_TEST(probe.next_report() == "gone");
    BOOST_TEST(probe.next_report() == "closed");
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
}

BOOST_AUTO_TEST_CASE(a_client_that_does_not_read_is_given_up) {
    ReadyProbe probe{{"send=100", "threads=1", "patience=20000"}};
    Client client{probe.socket()};
    client.send(whole_request("GET", "/flood"));
    BOOST_TEST(probe.next_report() == "stalled");
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    BOOST_TEST(contains(probe.log(), "client stalled"));
}

BOOST_AUTO_TEST_CASE(stacks_are_as_large_as_wanted) {
    const ReadyProbe probe{{"stack=700000"}};
    const auto bytes = std::stoul(probe.ask("GET", "/stack-size").body());
    BOOST_TEST(bytes >= 700'000U);
    BOOST_TEST(bytes < 1'400'000U); // a sanitizer adds some
}

BOOST_AUTO_TEST_SUITE_END()
