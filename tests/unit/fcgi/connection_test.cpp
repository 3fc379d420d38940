// One connection, from records to records, with an application that the test makes up.
#include "fcgi/connection.hpp"

#include "fastcgi_client.hpp"
#include "fcgi/response.hpp"
#include "tests/unit/app/support.hpp"
#include "tests/unit/freed_memory.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <filesystem>
#include <future>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

struct Libfcgi {
    Libfcgi() { start_libfcgi(); }
};
BOOST_TEST_GLOBAL_FIXTURE(Libfcgi);

using Serve = decltype(Application::serve);

web::Response text_response(std::string text) {
    web::Response response;
    response.body = std::move(text);
    return response.set("Content-Type", "text/plain");
}

web::Response streamed() {
    web::Response response;
    response.streamed = true;
    return response;
}

web::Response hello(const web::Request& /*request*/, web::Stream& /*stream*/) {
    return text_response("hello");
}

web::Response refuse(const Refusal& refusal, const web::Request& request) {
    web::Response response =
        text_response(std::string{name_of(refusal.code())} + " " + refusal.field());
    response.status = refusal.status();
    return response.set("X-Refused", request.id);
}

/// A connection that is served while this lives.
class Served {
public:
    explicit Served(Serve serve) : application_{std::move(serve), refuse} {
        std::array<int, 2> ends{};
        BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        client.emplace(Descriptor{ends[0]});
        server_ = std::jthread{[this, end = ends[1]] {
            const RecordLimits limits{.max_body = 400'000, .timeout = std::chrono::seconds{20}};
            serve_connection(Descriptor{end}, limits, application_);
        }};
    }

    std::optional<Client> client;

private:
    const Application application_;
    std::jthread server_;
};

Reply reply_to(const std::string& bytes, Serve serve = hello) {
    Served served{std::move(serve)};
    served.client->send(bytes);
    served.client->finish_sending();
    return served.client->read_reply();
}

Reply get(Serve serve, const std::string& method = "GET") {
    return reply_to(whole_request(method, "/"), std::move(serve));
}

bool contains(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
}

/// How many descriptors this process has open.
auto open_files() {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

} // namespace

BOOST_AUTO_TEST_SUITE(connection)

BOOST_AUTO_TEST_CASE(a_response_is_whole_and_has_an_id_of_its_own) {
    std::set<std::string> ids;
    for (const std::string method : {"GET", "HEAD", "GET"}) {
        const Reply reply =
            reply_to(whole_request(method, "/", {}, {{"HTTP_X_REQUEST_ID", "forged"}}));
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.header("Status") == "200 OK");
        BOOST_TEST(reply.header("Content-Length") == "5");
        BOOST_TEST(reply.body() == (method == "HEAD" ? "" : "hello"));
        const std::string id = reply.header("X-Request-Id");
        BOOST_TEST((id.size() == 32 && id.find_first_not_of("0123456789abcdef") == id.npos), id);
        BOOST_TEST(ids.insert(id).second);
    }
    const Reply empty = get([](const auto&, auto&) {
        web::Response response = text_response("not to be sent");
        response.status = 304;
        return response;
    });
    BOOST_TEST(empty.status() == 304);
    BOOST_TEST(empty.body().empty());
}

BOOST_AUTO_TEST_CASE(large_bodies_both_ways) {
    std::string body;
    for (int i = 0; body.size() < 400'000; ++i) body.push_back(static_cast<char>(i * 7));
    const auto echo = [](const web::Request& request, web::Stream&) {
        return text_response(std::to_string(request.body_size) + " " + std::string{request.body});
    };
    BOOST_TEST((reply_to(whole_request("POST", "/", body), echo).body() == "400000 " + body));
    BOOST_TEST(reply_to(whole_request("POST", "/", body + "x"), echo).body() == "400001 ");
    const Reply large =
        get([](const auto&, auto&) { return text_response(std::string(3'000'000, 'z')); });
    BOOST_TEST(large.ended);
    BOOST_TEST((large.body() == std::string(3'000'000, 'z')));
}

BOOST_AUTO_TEST_CASE(refusals_are_the_applications_to_render) {
    const std::string cut =
        request_records(name_value("REQUEST_METHOD", "POST") + name_value("REQUEST_URI", "/") +
                            name_value("CONTENT_LENGTH", "10"),
                        "short");
    const std::string cookies =
        whole_request("GET", "/", {}, {{"HTTP_COOKIE", "a"}, {"HTTP_COOKIE", "a"}});
    const Serve refusing = [](const auto&, auto&) -> web::Response { throw not_found(); };
    const struct {
        std::string bytes;
        Serve serve;
        std::string expected;
    } rows[] = {
        {cut, hello, "invalid_field Content-Length"},
        {cookies, hello, "invalid_field Cookie"},
        {whole_request("GET", "/"), refusing, "not_found "},
    };
    for (const auto& [bytes, serve, expected] : rows) {
        const test::CapturedLog log;
        const Reply reply = reply_to(bytes, serve);
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.body() == expected);
        BOOST_TEST(reply.header("X-Refused") == reply.header("X-Request-Id"));
        BOOST_TEST(contains(log.text(), reply.header("X-Request-Id")));
    }
}

BOOST_AUTO_TEST_CASE(a_failure_is_a_500_and_its_text_stays_here) {
    const std::pair<std::string, Serve> rows[] = {
        {"request failed",
         [](const auto&, auto&) -> web::Response { throw std::runtime_error{"secret"}; }},
        {"request failed", [](const auto&, auto&) -> web::Response { throw 7; }},
        {"streamed nothing", [](const auto&, auto&) { return streamed(); }},
        {"bad response head",
         [](const auto&, auto&) { return text_response("secret").set("X", "a\r\nsecret: b"); }},
        {"bad response head",
         [](const auto&, web::Stream& stream) {
             stream.begin(web::Response{}.set("X", "a\r\nsecret: b"));
             return stream.write("secret") ? text_response("taken") : streamed();
         }},
    };
    for (const auto& [event, serve] : rows) {
        const test::CapturedLog log;
        const Reply reply = get(serve);
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.status() == 500);
        BOOST_TEST(reply.body() == "internal_error ");
        BOOST_TEST(contains(log.text(), event), log.text());
        BOOST_TEST(!contains(reply.output + log.text(), "secret"));
    }
}

BOOST_AUTO_TEST_CASE(a_stream_goes_out_piece_by_piece) {
    std::promise<void> seen;
    Served served{[&](const web::Request&, web::Stream& stream) {
        stream.begin(text_response({}));
        stream.write("first ");
        seen.get_future().wait();
        stream.write("last");
        return streamed();
    }};
    served.client->send(whole_request("GET", "/"));
    served.client->read_until("first ");
    seen.set_value();
    const Reply reply = served.client->read_reply();
    BOOST_TEST(reply.ended);
    BOOST_TEST(reply.body() == "first last");
    BOOST_TEST(reply.header("X-Accel-Buffering") == "no");
    BOOST_TEST(reply.header("Content-Length").empty());
}

BOOST_AUTO_TEST_CASE(a_stream_to_head_has_no_body) {
    const auto stream_one = [](const web::Request&, web::Stream& stream) {
        stream.begin(text_response({}));
        return stream.write("piece") ? streamed() : text_response("not taken");
    };
    BOOST_TEST(get(stream_one).body() == "piece");
    BOOST_TEST(get(stream_one, "HEAD").body().empty());
}

BOOST_AUTO_TEST_CASE(a_stream_that_fails_is_seen_to_be_cut) {
    for (const bool throws : {true, false}) {
        const test::CapturedLog log;
        const Reply reply = get([&](const web::Request&, web::Stream& stream) {
            stream.begin(text_response({}));
            stream.write("part");
            if (throws) throw std::runtime_error{"secret"};
            return text_response("secret");
        });
        BOOST_TEST(!reply.ended);
        BOOST_TEST(reply.body() == "part");
        BOOST_TEST(contains(log.text(), "stream cut"));
        BOOST_TEST(!contains(log.text(), "secret"));
    }
}

BOOST_AUTO_TEST_CASE(a_client_that_leaves_is_seen) {
    std::promise<bool> is_there;
    std::promise<bool> is_gone;
    {
        Served served{[&](const web::Request&, web::Stream& stream) {
            stream.begin(text_response({}));
            stream.write("start");
            pollfd watched{stream.gone_fd(), POLLIN | POLLRDHUP, 0};
            is_there.set_value(::poll(&watched, 1, 0) == 0);
            const bool seen = ::poll(&watched, 1, 20'000) == 1;
            is_gone.set_value(seen && !stream.write("x") && !stream.write("y"));
            return streamed();
        }};
        served.client->send(whole_request("POST", "/", "a body"));
        served.client->read_until("start");
        BOOST_TEST(is_there.get_future().get());
        served.client->close();
    }
    BOOST_TEST(is_gone.get_future().get());
}

BOOST_AUTO_TEST_CASE(what_is_no_request_gets_no_answer_and_leaks_nothing) {
    const test::CapturedLog log;
    BOOST_TEST(reply_to("GET / HTTP/1.1\r\n\r\n").output.empty());
    BOOST_TEST(contains(log.text(), "bad FastCGI request"));
    const auto files = open_files();
    const std::string whole = whole_request("POST", "/", "body");
    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(reply_to(whole.substr(0, length)).output.empty());
    std::mt19937 random{20240607}; // NOLINT: the same bytes in every run
    for (int round = 0; round < 1000; ++round) {
        std::string bytes = whole;
        for (int change = 0; change < 3; ++change)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        reply_to(bytes);
    }
    BOOST_TEST(reply_to(whole).ended);
    BOOST_TEST(open_files() == files);
}

BOOST_AUTO_TEST_CASE(no_secret_of_a_request_stays_in_memory) {
    static constexpr std::string_view secret = "sk-0123456789-secret";
    const std::string text{secret};
    const Pairs headers = {{"HTTP_COOKIE", "session=" + text}, {"HTTP_TOKEN", text}};
    const std::pair<const char*, std::string> rows[] = {
        {"served", whole_request("POST", "/?token=" + text, text + "&" + text, headers)},
        {"body too large", whole_request("POST", "/", text + std::string(400'000, 'x'), headers)},
        {"refused", whole_request("GET", "/", {}, {{"HTTP_COOKIE", text}, {"HTTP_COOKIE", text}})},
        {"malformed", begin_record() + record(FCGI_PARAMS, 1, "\x7f\x7f" + text)},
    };
    for (const Serve& serve : {Serve{hello}, Serve{[](const auto&, auto&) -> web::Response {
                                   throw std::runtime_error{"no"};
                               }}}) {
        for (const auto& [name, bytes] : rows) {
            const test::CapturedLog log;
            const test::FreedMemory freed{secret};
            reply_to(bytes, serve);
            BOOST_TEST(freed.blocks_with_marker() == 0, name);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
