// Records, and the requests and responses that they carry.
#include "fcgi/libfcgi.hpp"
#include "fcgi/records.hpp"
#include "fcgi/response.hpp"
#include "tests/unit/fcgi/support.hpp"
#include "tests/unit/freed_memory.hpp"
using namespace usershell::fcgi;
namespace {
constexpr RecordLimits limits{
    .max_params = 1000, .max_body = 100, .timeout = std::chrono::seconds{20}};
struct Ends {
    Descriptor sender;
    Descriptor receiver;
};
Ends sent(const std::string& bytes) {
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
    BOOST_REQUIRE_EQUAL(::send(ends[0], bytes.data(), bytes.size(), 0),
                        static_cast<ssize_t>(bytes.size()));
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}
/// The result of read_request() for these bytes and the end of the connection.
std::string outcome(const std::string& bytes, const RecordLimits& within = limits) {
    Ends ends = sent(bytes);
    ends.sender.reset();
    try {
        return read_request(ends.receiver.get(), within) ? "read" : "nothing";
    } catch (const BadRecords& bad) {
        return bad.what();
    }
}
void all_are(const std::string& expected, const std::vector<std::string>& sent) {
    for (const auto& bytes : sent) BOOST_TEST(outcome(bytes) == expected);
}

BOOST_AUTO_TEST_CASE(a_request_comes_through_whole) {
    const std::string params = name_value("A", "1") + name_value("LONG", std::string(200, 'v')) +
                               name_value("A_9z", "=") + name_value("EMPTY", "");
    const Ends ends = sent(begin_record(258) + record(FCGI_PARAMS, 258, params.substr(0, 7), 3) +
                           record(FCGI_PARAMS, 258, params.substr(7), 255) +
                           record(FCGI_PARAMS, 258, {}) + record(FCGI_STDIN, 258, "ab") +
                           record(FCGI_STDIN, 258, "c", 1) + record(FCGI_STDIN, 258, {}, 7));
    const auto request = read_request(ends.receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->id == 258);
    std::string seen;
    for (const auto& [name, value] : request->params)
        seen.append(name).append(": ").append(value).append("; ");
    BOOST_TEST(seen == "FCGI_ROLE: RESPONDER; A: 1; LONG: " + std::string(200, 'v') +
                           "; A_9z: =; EMPTY: ; ");
    BOOST_TEST((request->body == "abc"));
    BOOST_TEST(request->body_size == 3U);
}

BOOST_AUTO_TEST_CASE(bytes_may_come_one_by_one) {
    // Of packets, each recv(2) gets one.
    std::array<int, 2> ends{};
    BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends.data()), 0);
    const Descriptor sender{ends[0]};
    const Descriptor receiver{ends[1]};
    for (const char byte : request_records(name_value("A", "1"), "body"))
        BOOST_REQUIRE_EQUAL(::send(sender.get(), &byte, 1, MSG_DONTWAIT), 1);
    const auto request = read_request(receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->params.at(1).value == "1");
    BOOST_TEST((request->body == "body"));
}

BOOST_AUTO_TEST_CASE(a_body_over_the_limit_is_counted_and_cut_a_byte_above) {
    for (const std::size_t size : {100U, 101U, 70000U}) {
        const Ends ends = sent(request_records(name_value("A", "1"), std::string(size, 'x')));
        const auto request = read_request(ends.receiver.get(), limits);
        BOOST_REQUIRE(request.has_value());
        BOOST_TEST(request->body.size() == std::min<std::size_t>(size, 101));
        BOOST_TEST(request->body_size == size);
    }
}

BOOST_AUTO_TEST_CASE(only_a_web_servers_records_pass) {
    const std::string begin = begin_record();
    const std::string no_params = record(FCGI_PARAMS, 1, {});
    const std::string no_body = record(FCGI_STDIN, 1, {});
    const std::string received = begin + no_params;
    all_are("read", {received + no_body, received + no_body + "more"});
    all_are("nothing", {""});
    all_are("unknown FastCGI version",
            {"GET / HTTP/1.1\r\n\r\n", "\2" + begin.substr(1), std::string(100'000, '\0')});
    all_are("no proper FCGI_BEGIN_REQUEST",
            {no_params, begin_record(0), record(FCGI_BEGIN_REQUEST, 1, "short")});
    all_are("a role other than responder", {begin_record(1, 2)});
    all_are("a record out of place",
            {begin + begin, begin + begin_record(2), begin + no_body,
             begin + record(FCGI_PARAMS, 2, {}), begin + record(FCGI_PARAMS, 0, {}),
             received + record(FCGI_STDIN, 2, "x"), received + record(FCGI_STDIN, 0, "x"),
             received + record(FCGI_ABORT_REQUEST, 1, {}), received + record(99, 0, {})});
    all_are("the request ends early", {"\1", received, received + record(FCGI_STDIN, 1, "x")});
}

// libfcgi overruns a buffer of 64 bytes with its answer to five names.
BOOST_AUTO_TEST_CASE(no_management_record_gets_to_libfcgi) {
    const std::string begin = begin_record();
    const std::string params = record(FCGI_PARAMS, 1, name_value("A", "1"));
    const std::string no_params = record(FCGI_PARAMS, 1, {});
    const std::string body = record(FCGI_STDIN, 1, "x");
    const std::string no_body = record(FCGI_STDIN, 1, {});
    for (const std::size_t names : {1U, 4U, 4000U}) {
        std::string query;
        for (std::size_t i = 0; i < names; ++i) query += name_value("FCGI_MAX_CONNS", "");
        const std::string values = record(FCGI_GET_VALUES, 0, query.substr(0, 65'535));
        all_are("no proper FCGI_BEGIN_REQUEST", {values, values + begin});
        all_are("a record out of place",
                {begin + values, begin + params + values, begin + no_params + values,
                 begin + params + no_params + body + values});
        all_are("read", {begin + no_params + no_body + values});
    }
    // Where libfcgi forgets that a record has padding, it would take it for the next header.
    const std::string values = record(FCGI_GET_VALUES, 0, name_value("FCGI_MAX_CONNS", ""));
    const auto padded = [&](std::string bytes) {
        bytes[6] = static_cast<char>(values.size());
        return bytes + values;
    };
    Ends ends =
        sent(padded(begin) + padded(params) + padded(no_params) + padded(body) + padded(no_body));
    const auto request = read_request(ends.receiver.get(), limits);
    BOOST_REQUIRE(request.has_value());
    BOOST_TEST(request->params.at(1).value == "1");
    BOOST_TEST((request->body == "x"));
    char answer = 0;
    BOOST_TEST(::recv(ends.sender.get(), &answer, 1, MSG_DONTWAIT) == -1);
}

BOOST_AUTO_TEST_CASE(libfcgi_reads_what_the_inlet_has_and_nothing_else) {
    const Ends ends = sent(whole_request("POST", "/"));
    BOOST_CHECK_EXCEPTION(LibfcgiRequest{}, Error, [](const Error&) { return true; });
    BOOST_TEST(read_request(ends.receiver.get(), limits).has_value());
}

BOOST_AUTO_TEST_CASE(parameters_have_sound_lengths) {
    const auto params_are = [](const std::string& expected, const std::vector<std::string>& all) {
        for (const auto& params : all) BOOST_TEST(outcome(request_records(params)) == expected);
    };
    params_are("read", {name_value("A", ""), name_value("A", std::string(994, 'x'))});
    params_are("the parameters are too large", {name_value("A", std::string(997, 'x'))});
    const std::string two_gib = "\xff\xff\xff\xff"; // less a byte
    params_are("a parameter is cut short",
               {"\1", "\1\1A", "\x80\0\0"s, two_gib + two_gib, two_gib + "\1AB",
                "\1" + two_gib + "AB", "\x80\0\0\1"s + two_gib + "AB",
                "\1\x80\0\1\0A"s + std::string(255, 'x')});
    for (const auto& name : {""s, "x\0y"s, "\0"s, "A=B"s, "A-B"s, "A B"s, "A\n"s, "\xc3\xa9"s})
        params_are("a parameter with a bad name", {name_value(name, "A")});
    for (const auto& value : {"x\0y"s, "\0"s, "x\0"s})
        params_are("a parameter with a NUL", {name_value("A", value)});
    const RecordLimits wide{.max_params = 100'000, .timeout = std::chrono::seconds{20}};
    std::string many;
    for (int i = 0; i < 16'384; ++i) many += name_value("A", "");
    BOOST_TEST(outcome(request_records(many), wide) == "read");
    BOOST_TEST(outcome(request_records(many + name_value("A", "")), wide) == "too many parameters");
}

BOOST_AUTO_TEST_CASE(a_peer_that_takes_too_long_is_given_up) {
    const RecordLimits hasty{
        .max_params = 1000, .max_body = 100, .timeout = std::chrono::milliseconds{20}};
    const auto late = [](const BadRecords& bad) {
        return bad.what() == std::string{"the request did not arrive in time"};
    };
    const std::string beginning = begin_record() + record(FCGI_PARAMS, 1, {});
    for (const std::string& bytes : {std::string{}, beginning}) { // and then silence
        const Ends ends = sent(bytes);
        BOOST_CHECK_EXCEPTION(read_request(ends.receiver.get(), hasty), BadRecords, late);
    }
    { // Bytes that are there are too late, too.
        const Ends whole = sent(whole_request("POST", "/", std::string(50'000, 'x')));
        const auto wait = [&](auto, auto) {
            std::this_thread::sleep_for(hasty.timeout);
            return false;
        };
        BOOST_CHECK_EXCEPTION(read_request(whole.receiver.get(), hasty, wait), BadRecords, late);
    }
    {
        // A byte whenever the last one was taken, and parameters without end.
        std::array<int, 2> pair{};
        BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair.data()), 0);
        const Descriptor sender{pair[0]};
        Descriptor receiver{pair[1]};
        const std::jthread drip{[sender = sender.get()] {
            std::string bytes = begin_record();
            for (std::size_t at = 0; ::send(sender, &bytes[at], 1, MSG_NOSIGNAL) == 1;)
                if (++at == bytes.size()) bytes = record(FCGI_PARAMS, 1, "x"), at = 0;
        }};
        const RecordLimits wide{.max_params = 1UL << 40U, .timeout = hasty.timeout};
        BOOST_CHECK_EXCEPTION(read_request(receiver.get(), wide), BadRecords, late);
        receiver.reset(); // ends the drip
    }
    Ends ends = sent(beginning);
    const std::jthread flood{[sender = ends.sender.get()] {
        const std::string body = record(FCGI_STDIN, 1, std::string(1000, 'x'));
        while (::send(sender, body.data(), body.size(), MSG_NOSIGNAL) > 0) {
        }
    }};
    BOOST_CHECK_EXCEPTION(read_request(ends.receiver.get(), hasty), BadRecords, late);
    ends.receiver.reset(); // ends the flood
}

BOOST_AUTO_TEST_CASE(libfcgi_keeps_nothing_of_a_response) {
    static constexpr std::string_view secret = "sk-0123456789-secret";
    std::string body;
    while (body.size() < 100'000) body += secret;
    enum Peer { reads, slow, gone };
    for (const auto& [peer, error] : {std::pair{reads, 0}, {slow, EAGAIN}, {gone, EPIPE}}) {
        Ends ends = sent(whole_request("GET", "/"));
        auto request = read_request(ends.receiver.get(), limits);
        BOOST_REQUIRE(request.has_value());
        if (peer == gone) ends.sender.reset();
        const FreedMemory freed{secret};
        BOOST_TEST(request->library->send(secret, body, peer == slow ? 0s : 20s) == error);
        request->library.reset();
        BOOST_TEST(freed.blocks_with_marker() == 0);
    }
}

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
