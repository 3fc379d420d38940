// One connection, from records to records, with an application that the test makes up.
#include "fcgi/connection.hpp"
#include "runtime/blocking_pool.hpp"
#include "tests/unit/fcgi/support.hpp"
#include "tests/unit/freed_memory.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/run_on.hpp"
using namespace usershell::fcgi;
namespace {
Loop& the_loop() {
    static Loop loop;
    static const LoopThread running{loop};
    return loop;
}
using Serve = decltype(Application::serve);
web::Response text_response(std::string text) {
    web::Response response;
    response.body = std::move(text);
    response.set("Content-Type", "text/plain");
    return response;
}
web::Response streamed() {
    web::Response response;
    response.streamed = true;
    return response;
}
web::Response hello(const web::Request& /*request*/) { return text_response("hello"); }
using Work = std::function<Task<web::Response>(web::Stream&)>;
/// An application whose answer comes later, made by `work` on the loop.
Serve answering(Work work) {
    struct Answer final : web::AsyncResponse {
        explicit Answer(Work given) : work{std::move(given)} {}
        Task<web::Response> run(web::Stream& stream) override {
            co_await the_loop().enter();
            co_return co_await work(stream);
        }
        Work work;
    };
    return [work = std::move(work)](const web::Request&) {
        web::Response response;
        response.async = std::make_unique<Answer>(work);
        return response;
    };
}
/// A response that `work` streams.
Serve streaming(std::function<Task<>(web::Stream&)> work) {
    return answering([work = std::move(work)](web::Stream& stream) -> Task<web::Response> {
        stream.begin(text_response({}));
        co_await work(stream);
        co_return streamed();
    });
}
web::Response refuse(const Refusal& refusal, const web::Request& request) {
    web::Response response =
        text_response(std::string{name_of(refusal.code())} + " " + refusal.field());
    response.status = refusal.status();
    response.set("X-Refused", request.id);
    return response;
}
struct Served : boost::noncopyable {
    explicit Served(Serve serve, std::chrono::milliseconds stall = 20s)
        : application_{std::move(serve), refuse, &the_loop(),
                       [](std::string_view uri, std::size_t) { return uri.starts_with("/late"); }} {
        std::array<int, 2> ends{};
        BOOST_REQUIRE_EQUAL(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        client.emplace(Descriptor{ends[0]});
        server_ = std::jthread{[this, end = ends[1], stall] {
            const ConnectionLimits limits{.records = {.max_body = 400'000, .timeout = 20s},
                                          .stall = stall,
                                          .body_interval = stall};
            Descriptor connection{end};
            if (auto records = receive(connection.get(), limits, application_))
                respond(std::move(connection), *std::move(records), limits, application_, pending_);
        }};
    }
    ~Served() {
        server_.join();
        BOOST_TEST(pending_.wait_none(20s));
    }
    std::optional<Client> client;
    const Application application_;
    Pending pending_;
    std::jthread server_;
};
Reply reply_to(const std::string& bytes, Serve serve = hello) {
    Served served{std::move(serve)};
    served.client->send(bytes);
    served.client->finish_sending();
    return served.client->read_reply();
}
Reply get(Serve serve, const std::string& method = "GET") {
    Served served{std::move(serve)};
    served.client->send(whole_request(method, "/")); // and stays to read
    return served.client->read_reply();
}
Task<> on_the_loop(std::function<void()> work) {
    co_await the_loop().enter();
    work();
}
void start_and_wait_for_a_turn() {
    std::promise<void> done;
    start([](std::promise<void>& ended) -> Task<> {
        co_await the_loop().enter();
        co_await one_turn(the_loop());
        ended.set_value();
    }(done));
    done.get_future().wait();
}
struct Left final : boost::noncopyable, CancellationToken::Listener {
    explicit Left(CancellationToken& of) : cancellation{of} {
        event.reset();
        cancellation.add(*this);
    }
    ~Left() { cancellation.remove(*this); }
    void on_cancelled() override { event.set(); }
    CancellationToken& cancellation;
    AsyncEvent event{the_loop()};
};
auto open_files() {
    return std::distance(std::filesystem::directory_iterator{"/proc/self/fd"}, {});
}

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
    const Reply empty = get([](const auto&) {
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
    const auto echo = [](const web::Request& request) {
        return text_response(std::string{request.body});
    };
    BOOST_TEST((reply_to(whole_request("POST", "/", body), echo).body() == body));
    BOOST_TEST((reply_to(whole_request("POST", "/", body + "xyz"), echo).body() == body + "x"));
    const std::string much(3'000'000, 'z');
    const Serve at_once = [&](const auto&) { return text_response(much); };
    const Serve from_the_loop =
        answering([&](web::Stream&) -> Task<web::Response> { co_return text_response(much); });
    for (const Serve& serve : {at_once, from_the_loop}) {
        const Reply large = get(serve);
        BOOST_TEST(large.ended);
        BOOST_TEST(large.header("Content-Length") == "3000000");
        BOOST_TEST((large.body() == much));
    }
}

BOOST_AUTO_TEST_CASE(refusals_are_the_applications_to_render) {
    const std::string cut =
        request_records(name_value("REQUEST_METHOD", "POST") + name_value("REQUEST_URI", "/") +
                            name_value("CONTENT_LENGTH", "10"),
                        "short");
    const std::string cookies =
        whole_request("GET", "/", {}, {{"HTTP_COOKIE", "a"}, {"HTTP_COOKIE", "a"}});
    const std::pair<std::string, std::string> rows[] = {
        {cut, "invalid_field Content-Length"},
        {cookies, "invalid_field Cookie"},
    };
    for (const auto& [bytes, expected] : rows) {
        const Reply reply = reply_to(bytes, hello);
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.body() == expected);
        BOOST_TEST(reply.header("X-Refused") == reply.header("X-Request-Id"));
    }
}

BOOST_AUTO_TEST_CASE(a_failure_is_a_500_and_its_text_stays_here) {
    const std::pair<std::string, Serve> rows[] = {
        {"streamed nothing",
         answering([](web::Stream&) -> Task<web::Response> { co_return streamed(); })},
        {"bad response head",
         [](const auto&) {
             web::Response response = text_response("secret");
             response.set("X", "a\r\nsecret: b");
             return response;
         }},
    };
    for (const auto& [event, serve] : rows) {
        const CapturedLog log;
        const Reply reply = get(serve);
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.status() == 500);
        BOOST_TEST(reply.body() == "internal_error ");
        BOOST_TEST(has(log.text(), event), log.text());
        BOOST_TEST(!has(reply.output + log.text(), "secret"));
    }
}

BOOST_AUTO_TEST_CASE(a_stream_goes_out_piece_by_piece) {
    AsyncEvent seen{the_loop()};
    seen.reset();
    Served served{streaming([&](web::Stream& stream) -> Task<> {
        stream.write("first ");
        co_await seen.wait();
        stream.write("la");
        stream.write("st");
    })};
    served.client->send(whole_request("GET", "/"));
    served.client->read_until("first ");
    start(on_the_loop([&] { seen.set(); }));
    const Reply reply = served.client->read_reply();
    BOOST_TEST(reply.ended);
    BOOST_TEST(reply.body() == "first last");
    BOOST_TEST(reply.header("X-Accel-Buffering") == "no");
    BOOST_TEST(reply.header("Content-Length").empty());
}

BOOST_AUTO_TEST_CASE(a_stream_to_head_has_no_body) {
    const Serve stream_one = answering([](web::Stream& stream) -> Task<web::Response> {
        stream.begin(text_response({}));
        co_return stream.write("piece") ? streamed() : text_response("not taken");
    });
    BOOST_TEST(get(stream_one).body() == "piece");
    BOOST_TEST(get(stream_one, "HEAD").body().empty());
}

BOOST_AUTO_TEST_CASE(a_stream_that_fails_is_seen_to_be_cut) {
    const CapturedLog log;
    const Reply reply = get(answering([](web::Stream& stream) -> Task<web::Response> {
        stream.begin(text_response({}));
        stream.write("part");
        co_return text_response("secret");
    }));
    BOOST_TEST(!reply.ended);
    BOOST_TEST(reply.body() == "part");
    BOOST_TEST(has(log.text(), "stream cut"));
    BOOST_TEST(!has(log.text(), "secret"));
}

BOOST_AUTO_TEST_CASE(a_client_that_leaves_or_stalls_is_gone) {
    for (const bool leaves : {true, false}) BOOST_TEST_CONTEXT(leaves) {
            const CapturedLog log;
            std::atomic<bool> is_gone = false;
            const auto stream_on = [&](web::Stream& stream) -> Task<> {
                const std::string piece(leaves ? 10 : std::size_t{1} << 20U, 'x');
                bool taken = stream.write("start" + piece);
                Left left{stream.cancellation()};
                co_await left.event.wait();
                taken = taken && !stream.write("x") && !stream.write("y");
                is_gone = taken && stream.writable().is_set();
            };
            {
                Served served{streaming(stream_on), leaves ? 20s : 50ms};
                served.client->send(whole_request("POST", "/", "a body"));
                served.client->read_until("start");
                if (leaves) served.client->close();
            }
            BOOST_TEST(is_gone);
            BOOST_TEST(has(log.text(), "client stalled") == !leaves);
        }
}

// Bytes that a slow reader leaves unread are bounded, and are sent when it reads on.
BOOST_AUTO_TEST_CASE(a_slow_reader_closes_its_gate) {
    constexpr std::size_t pieces = 2000;
    std::atomic<std::size_t> written = 0;
    Served served{streaming([&](web::Stream& stream) -> Task<> {
        stream.write("start");
        for (; written < pieces; ++written) {
            stream.write(std::string(1000, 'x'));
            co_await one_turn(the_loop());
            co_await stream.writable().wait();
        }
    })};
    served.client->send(whole_request("GET", "/"));
    served.client->read_until("start");
    std::size_t before = 0;
    do { // until it stands still
        before = written;
        for (int i = 0; i < 20; ++i) start_and_wait_for_a_turn();
    } while (written != before);
    BOOST_TEST(written < pieces);
    const Reply reply = served.client->read_reply();
    BOOST_TEST(reply.ended);
    BOOST_TEST(reply.body().size() == 5 + pieces * 1000);
}

// Counted before it is kept, and given back as it is read.
BOOST_AUTO_TEST_CASE(what_a_slow_reader_leaves_is_in_the_calls_memory) {
    constexpr std::size_t mib = std::size_t{1024} * 1024;
    MemoryShares shares{the_loop(), 8 * mib, 8 * mib};
    const std::string event(5 * mib, 'x');
    std::size_t held = 0;
    std::size_t left = 1;
    Served served{streaming([&](web::Stream& stream) -> Task<> {
        stream.counts_in(std::make_shared<CallMemory>(shares, global_owner()));
        stream.write(event);
        held = shares.taken();
        co_await one_turn(the_loop());
        co_await stream.writable().wait();
        left = shares.taken();
        stream.write("end");
    })};
    served.client->send(whole_request("GET", "/"));
    BOOST_TEST((served.client->read_reply().body() == event + "end"));
    BOOST_TEST(held > 4 * mib);
    BOOST_TEST(left == 0U);
}
BOOST_AUTO_TEST_CASE(a_stream_without_memory_has_its_last_words) {
    MemoryShares shares{the_loop(), 0, 0};
    Served served{streaming([&](web::Stream& stream) -> Task<> {
        stream.counts_in(std::make_shared<CallMemory>(shares, global_owner()));
        const bool is_taken = stream.write(std::string(100'000, 'x'));
        stream.write(is_taken ? "taken" : "sorry");
        co_await one_turn(the_loop());
    })};
    served.client->send(whole_request("GET", "/"));
    const Reply reply = served.client->read_reply();
    BOOST_TEST((reply.ended && reply.body() == "sorry"));
    const Reply whole = get(answering([&](web::Stream& stream) -> Task<web::Response> {
        stream.counts_in(std::make_shared<CallMemory>(shares, global_owner()));
        co_return text_response(std::string(100'000, 'x'));
    }));
    BOOST_TEST(whole.body() == "unavailable ");
}
BOOST_AUTO_TEST_CASE(a_stream_that_loses_its_memory_keeps_nothing_for_its_reader) {
    constexpr std::size_t mib = std::size_t{1024} * 1024;
    MemoryShares shares{the_loop(), 8 * mib, 8 * mib};
    CallMemory other{shares, UserId::parse("00000000-0000-4000-8000-000000000002").value()};
    CallMemory::Part part{&other};
    std::atomic<bool> is_cut = false;
    Served served{streaming([&](web::Stream& stream) -> Task<> {
        stream.counts_in(std::make_shared<CallMemory>(shares, global_owner()));
        stream.write("start" + std::string(6 * mib, 'x'));
        co_await one_turn(the_loop());
        const bool has_room = part.hold(3 * mib);
        co_await stream.writable().wait();
        co_await one_turn(the_loop());
        is_cut = has_room && stream.cancellation().is_cancelled() && !stream.write("x");
    })};
    served.client->send(whole_request("GET", "/"));
    served.client->read_until("start");
    while (!is_cut) start_and_wait_for_a_turn();
    while (shares.taken() > 3 * mib) start_and_wait_for_a_turn();
}

BOOST_AUTO_TEST_CASE(what_is_no_request_gets_no_answer_and_leaks_nothing) {
    const CapturedLog log;
    BOOST_TEST(reply_to("GET / HTTP/1.1\r\n\r\n").output.empty());
    BOOST_TEST(has(log.text(), "bad FastCGI request"));
    const auto files = open_files();
    const std::string whole = whole_request("POST", "/", "body");
    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(reply_to(whole.substr(0, length)).output.empty());
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
    for (const Serve& serve : {Serve{hello}, Serve{[](const auto&) -> web::Response {
                                   throw std::runtime_error{"no"};
                               }}}) {
        for (const auto& [name, bytes] : rows) {
            const CapturedLog log;
            const FreedMemory freed{secret};
            reply_to(bytes, serve);
            BOOST_TEST(freed.blocks_with_marker() == 0, name);
        }
    }
}
// The body is read by the stream, after the application was asked: it may be larger than the bodies
// that are kept, and comes in any pieces.
BOOST_AUTO_TEST_CASE(a_late_body_is_read_by_the_stream) {
    const std::string body(500'000, 'x');
    const std::string whole = whole_request("POST", "/late", body);
    for (const std::size_t piece : {whole.size(), std::size_t{7777}}) {
        std::string read;
        Served served{answering([&](web::Stream& stream) -> Task<web::Response> {
            const auto end = co_await stream.read_body([&](std::string_view part) {
                read += part;
                return true;
            });
            co_return text_response(end == web::BodyEnd::complete ? "all" : "not all");
        })};
        for (std::size_t at = 0; at < whole.size(); at += piece)
            served.client->send(std::string_view{whole}.substr(at, piece));
        BOOST_TEST(served.client->read_reply().body() == "all");
        BOOST_TEST((read == body));
    }
}
BOOST_AUTO_TEST_CASE(a_body_that_comes_with_its_head_is_not_late) {
    const Serve echo = [](const web::Request& request) {
        return text_response((request.awaited ? "late " : "") + std::string{request.body});
    };
    const std::string small(8192, 'x');
    BOOST_TEST(reply_to(whole_request("POST", "/late", small), echo).body() == small);
    for (const std::string& sent :
         {whole_request("POST", "/late", small).substr(0, 8000), // the rest is not waited for
          whole_request("POST", "/late", small + "x"),
          request_records(name_value("REQUEST_URI", "/late"), "of unknown size")}) {
        Served served{echo};
        served.client->send(sent);
        served.client->read_until("late ");
        served.client->close();
    }
}
BOOST_AUTO_TEST_CASE(a_late_body_that_is_not_wanted_disturbs_no_sender) {
    const std::string whole = whole_request("POST", "/late", std::string(3'000'000, 'x'));
    const auto stopped_after = [](std::size_t wanted) {
        return answering([wanted](web::Stream& stream) -> Task<web::Response> {
            std::size_t came = 0;
            const auto end = co_await stream.read_body(
                [&](std::string_view piece) { return (came += piece.size()) < wanted; });
            co_return text_response(end == web::BodyEnd::stopped ? "hello" : "else");
        });
    };
    const Serve servers[] = {stopped_after(1), stopped_after(1'000'000), stopped_after(2'000'001),
                             hello};
    for (const Serve& serve : servers) {
        Served served{serve};
        BOOST_TEST(served.client->send(whole)); // blocks until it has been read
        BOOST_TEST(served.client->read_reply().body() == "hello");
        served.client->close();
    }
}
BOOST_AUTO_TEST_CASE(a_late_body_ends_as_its_sender_does) {
    const std::string whole = whole_request("POST", "/late", std::string(1000, 'x'));
    const std::string part = whole.substr(0, whole.size() - 100);
    const auto end_of = [](const std::string& sent, std::chrono::milliseconds patience,
                           bool leaves) {
        web::BodyEnd end{};
        {
            Served served{answering([&](web::Stream& stream) -> Task<web::Response> {
                              end =
                                  co_await stream.read_body([](std::string_view) { return true; });
                              co_return text_response("done");
                          }),
                          patience};
            served.client->send(sent);
            if (!leaves) served.client->read_until("done");
            served.client->close();
        }
        return end;
    };
    BOOST_TEST((end_of(part, 20s, true) == web::BodyEnd::gone));
    BOOST_TEST((end_of(part, 1ms, false) == web::BodyEnd::slow));
    BOOST_TEST((end_of(part + std::string(200, '\xff'), 20s, false) == web::BodyEnd::malformed));
}
} // namespace
