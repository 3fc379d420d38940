// HttpClient against a scripted server: what is sent, what is refused, and how each fault ends.
// Limits that must not matter in a test are set to an hour; a call that wrongly waits fails by
// ctest's time-out.
#include "net/http_client.hpp"
#include "tests/unit/net/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <filesystem>
#include <future>
#include <stdexcept>

#include <arpa/inet.h>
#include <sys/socket.h>

using namespace usershell;
using namespace usershell::net;
using namespace usershell::test;
using namespace std::chrono_literals;

BOOST_TEST_DONT_PRINT_LOG_VALUE(HttpFailure)

namespace {

constexpr HttpLimits no_hurry{.connect = 1h, .first_byte = 1h, .silence = 1h, .total = 1h};

EgressPolicy allowing(const ScriptedServer& server) { return EgressPolicy{{server.authority()}}; }

HttpRequest get(std::string url) {
    return {.method = "GET", .url = std::move(url), .headers = {}, .key = {}, .body = {}};
}

/// What a call gave, body and all.
struct Heard {
    HttpResult result;
    std::string body;
};

Heard perform(HttpClient& client, const HttpRequest& request, HttpControl control = {}) {
    Heard heard;
    if (control.limits.total == HttpLimits{}.total) control.limits = no_hurry;
    control.on_body = [&heard](std::string_view piece) {
        heard.body += piece;
        return true;
    };
    heard.result = client.perform(request, control);
    return heard;
}

Heard perform_get(const ScriptedServer& server, HttpControl control = {}) {
    HttpClient client{allowing(server), {}};
    return perform(client, get(server.url("/")), std::move(control));
}

/// A server that, asked for anything, sends these bytes and closes.
ScriptedServer::Script says(std::string bytes) {
    return [bytes = std::move(bytes)](Connection& peer) {
        if (!peer.request().head.empty()) peer.send(bytes);
    };
}

ScriptedServer::Script answers_ok() {
    return [](Connection& peer) {
        while (!peer.request().head.empty()) peer.answer(200, "text/plain", "ok");
    };
}

void count_one_connection(const ScriptedServer& server) {
    const Descriptor probe{socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(server.port());
    BOOST_REQUIRE(connect(probe.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    while (server.connections() == 0) std::this_thread::yield();
}

std::size_t entries(const char* folder) {
    const std::filesystem::directory_iterator all{folder};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace

BOOST_AUTO_TEST_SUITE(http_client)

BOOST_AUTO_TEST_CASE(a_request_is_sent_as_asked_and_its_answer_given_as_it_came) {
    std::promise<Received> seen;
    ScriptedServer server{[&](Connection& peer) {
        seen.set_value(peer.request());
        peer.send("HTTP/1.1 100 Continue\r\n\r\n");
        peer.answer(201, "Text/Event-Stream; charset=utf-8", "data",
                    "X-Thing: one\r\nx-thing:  two \r\n");
    }};
    HttpClient client{allowing(server), {}};
    HttpRequest request{.method = "POST",
                        .url = server.url("/v1/chat?x=1"),
                        .headers = {{"Content-Type", "application/json"}, {"X-Empty-Ish", "a b"}},
                        .key = KeyHeader{"Authorization", "Bearer ", "sk-canary-1"},
                        .body = "{\"a\":1}"};
    std::vector<int> heads;
    HttpControl control{.limits = no_hurry};
    control.on_head = [&](const HttpHead& head) { heads.push_back(head.status); };
    const auto heard = perform(client, request, control);

    const auto received = seen.get_future().get();
    BOOST_TEST(received.line() == "POST /v1/chat?x=1 HTTP/1.1");
    BOOST_TEST(received.header("Host") == server.authority());
    BOOST_TEST(received.header("Authorization") == "Bearer sk-canary-1");
    BOOST_TEST(received.header("Content-Type") == "application/json");
    BOOST_TEST(received.header("X-Empty-Ish") == "a b");
    BOOST_TEST(received.header("User-Agent").starts_with("usershell/"));
    BOOST_TEST(received.header("Accept-Encoding") == "");
    BOOST_TEST(received.header("Expect") == "");
    BOOST_TEST(received.body == "{\"a\":1}");

    BOOST_TEST((heard.result.failure == HttpFailure::none));
    BOOST_TEST(heard.result.head.status == 201);
    BOOST_TEST(heard.result.head.content_type == "text/event-stream");
    BOOST_TEST(heard.result.head.fields.at("x-thing") == "two");
    BOOST_TEST(heard.result.body_begun);
    BOOST_TEST(heard.body == "data");
    BOOST_TEST(heads == std::vector{201}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_thread_keeps_its_connection) {
    ScriptedServer server{answers_ok()};
    HttpClient client{allowing(server), {}};
    for (int i = 0; i < 3; ++i) BOOST_TEST(perform(client, get(server.url("/"))).body == "ok");
    BOOST_TEST(server.connections() == 1);
}

BOOST_AUTO_TEST_CASE(a_kept_connection_is_no_way_around_a_stricter_policy) {
    std::atomic<int> requests = 0;
    ScriptedServer server{[&](Connection& peer) {
        while (!peer.request().head.empty()) {
            ++requests;
            peer.answer(200, "text/plain", "ok");
        }
    }};
    HttpClient open{allowing(server), {}};
    HttpClient closed{EgressPolicy{}, {}};
    BOOST_TEST(perform(open, get(server.url("/"))).body == "ok");
    const auto refused = perform(closed, get(server.url("/")));
    BOOST_TEST((refused.result.failure == HttpFailure::forbidden_address));
    BOOST_TEST(refused.result.head.status == 0);
    BOOST_TEST(perform(open, get(server.url("/"))).body == "ok");
    BOOST_TEST(requests == 2);
}

BOOST_AUTO_TEST_CASE(a_forbidden_address_is_never_connected_to) {
    ScriptedServer server{answers_ok()};
    HttpClient client{EgressPolicy{}, {}};
    const std::string port = ":" + std::to_string(server.port());
    for (const char* host : {"127.0.0.1",
                             "127.1",
                             "2130706433",
                             "0x7f.1",
                             "0177.0.0.1",
                             "0",
                             "0.0.0.0",
                             "[::1]",
                             "[::]",
                             "[::ffff:127.0.0.1]",
                             "[::ffff:7f00:1]",
                             "[64:ff9b::7f00:1]",
                             "localhost",
                             "LOCALHOST",
                             "x.localhost",
                             "metadata.google.internal",
                             "printer.local",
                             "intranet",
                             "169.254.169.254",
                             "10.0.0.1",
                             "[fe80::1]"}) {
        const auto heard = perform(client, get("http://" + std::string{host} + port + "/"));
        BOOST_TEST((heard.result.failure == HttpFailure::forbidden_address), host);
    }
    BOOST_TEST(server.connections() == 0);
    count_one_connection(server); // which shows that the count would have seen the others
    BOOST_TEST(server.connections() == 1);
}

BOOST_AUTO_TEST_CASE(an_allowed_name_may_resolve_to_loopback) {
    ScriptedServer server{answers_ok()};
    const std::string name = "localhost:" + std::to_string(server.port());
    HttpClient client{EgressPolicy{{name}}, {}};
    BOOST_TEST(perform(client, get("http://" + name + "/")).body == "ok");
}

BOOST_AUTO_TEST_CASE(redirects_are_answers_not_instructions) {
    ScriptedServer elsewhere{answers_ok()};
    ScriptedServer server{says("HTTP/1.1 302 Found\r\nLocation: " + elsewhere.url("/") +
                               "\r\nContent-Length: 0\r\n\r\n")};
    HttpClient client{EgressPolicy{{server.authority(), elsewhere.authority()}}, {}};
    const auto heard = perform(client, get(server.url("/")));
    BOOST_TEST((heard.result.failure == HttpFailure::none));
    BOOST_TEST(heard.result.head.status == 302);
    BOOST_TEST(!heard.result.body_begun);
    BOOST_TEST(elsewhere.connections() == 0);
}

BOOST_AUTO_TEST_CASE(proxies_of_the_environment_are_ignored) {
    ScriptedServer proxy{answers_ok()};
    ScriptedServer server{answers_ok()};
    for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"})
        setenv(name, proxy.url().c_str(), 1);
    BOOST_TEST(perform_get(server).body == "ok");
    for (const char* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) unsetenv(name);
    BOOST_TEST(proxy.connections() == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_sent_is_not_sent) {
    ScriptedServer server{answers_ok()};
    HttpClient client{allowing(server), {}};
    const auto key = [&](std::string_view text) {
        auto request = get(server.url("/"));
        request.key = KeyHeader{"Authorization", "Bearer ", text};
        return request;
    };
    auto header = get(server.url("/"));
    header.headers = {{"X-A", "a\r\nX-B: b"}};
    auto method = get(server.url("/"));
    method.method = "DELETE";
    const std::string authority = server.authority();
    for (const auto& request :
         {key(""), key("a b"), key("a\r\nX-B: b"), key("a\nb"), key("caf\xc3\xa9"),
          key(std::string_view{"a\0b", 3}), header, method, get("ftp://" + authority + "/"),
          get("http://user:pw@" + authority + "/"), get("nonsense"),
          get("http://[fe80::1%25eth0]:" + std::to_string(server.port()) + "/")}) {
        const auto heard = perform(client, request);
        BOOST_TEST((heard.result.failure == HttpFailure::unsendable), request.url);
    }
    BOOST_TEST(server.connections() == 0);
}

struct Fault {
    const char* name;
    std::string bytes;
    HttpFailure failure;
    std::string body;
};

BOOST_AUTO_TEST_CASE(each_broken_answer_has_its_name) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
    const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
    std::string many;
    for (int i = 0; i < 5000; ++i)
        many += "X-H" + std::to_string(i) + ": some value of a header\r\n";
    const std::string long_text(400'000, 'a');
    const std::vector<Fault> faults{
        {"nothing", "", HttpFailure::unreachable, ""},
        {"half a head", "HTTP/1.1 200 OK\r\nContent-", HttpFailure::cut_off, ""},
        {"short body", head + "Content-Length: 10\r\n\r\nabc", HttpFailure::cut_off, "abc"},
        {"chunks without an end", chunked + "3\r\nabc\r\n", HttpFailure::cut_off, "abc"},
        {"a broken chunk size", chunked + "3\r\nabc\r\nzz\r\n", HttpFailure::cut_off, "abc"},
        {"garbage", "SSH-2.0-OpenSSH_9.2\r\n", HttpFailure::not_http, ""},
        {"endless garbage", long_text, HttpFailure::not_http, ""},
        {"endless status line", "HTTP/1.1 200 " + long_text, HttpFailure::too_large, ""},
        {"endless header line", "HTTP/1.1 200 OK\r\nX-A: " + long_text, HttpFailure::too_large, ""},
        {"a bomb of headers", "HTTP/1.1 200 OK\r\n" + many + "\r\n", HttpFailure::too_large, ""},
        {"a body ended by closing", "HTTP/1.1 200 OK\r\n\r\nabc", HttpFailure::none, "abc"},
        {"trailers", chunked + "3\r\nabc\r\n0\r\nContent-Type: x/y\r\n\r\n", HttpFailure::none,
         "abc"},
    };
    for (const auto& fault : faults) {
        ScriptedServer server{says(fault.bytes)};
        const auto heard = perform_get(server);
        BOOST_TEST((heard.result.failure == fault.failure),
                   fault.name << ": " << heard.result.detail);
        BOOST_TEST(heard.body == fault.body, fault.name);
        if (fault.failure == HttpFailure::none && heard.result.head.content_type != "")
            BOOST_TEST(heard.result.head.content_type == "text/plain");
    }
}

BOOST_AUTO_TEST_CASE(a_reset_and_a_refusal_are_told_from_a_cut) {
    ScriptedServer early{[](Connection& peer) {
        peer.request();
        peer.reset();
    }};
    BOOST_TEST((perform_get(early).result.failure == HttpFailure::unreachable));

    std::promise<void> heard_some;
    ScriptedServer late{[&](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
        heard_some.get_future().wait();
        peer.reset();
    }};
    HttpClient client{allowing(late), {}};
    HttpControl control{.limits = no_hurry};
    control.on_body = [&](std::string_view) {
        heard_some.set_value();
        return true;
    };
    BOOST_TEST((client.perform(get(late.url("/")), control).failure == HttpFailure::cut_off));

    std::string dead;
    { dead = ScriptedServer{answers_ok()}.authority(); }
    HttpClient other{EgressPolicy{{dead}}, {}};
    BOOST_TEST(
        (perform(other, get("http://" + dead + "/")).result.failure == HttpFailure::unreachable));
}

BOOST_AUTO_TEST_CASE(a_huge_answer_is_cut_at_the_limit) {
    ScriptedServer server{[](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
        const std::string block(65536, 'x');
        for (int i = 0; i < 1600 && peer.send(block); ++i) {
        }
    }};
    HttpControl control{.limits = no_hurry};
    control.limits.answer_bytes = 1024 * 1024;
    const auto heard = perform_get(server, control);
    BOOST_TEST((heard.result.failure == HttpFailure::too_large));
    BOOST_TEST(heard.body.size() <= 1024 * 1024);
    server.finish(); // the connection was closed, not left to drip
}

struct Patience {
    const char* detail;
    std::string said;
    HttpLimits limits;
};

BOOST_AUTO_TEST_CASE(silence_ends_by_the_limit_that_applies) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
    const std::vector<Patience> rows{
        {"first byte timed out", "", {1h, 20ms, 1h, 1h}},
        {"first byte timed out", head, {1h, 20ms, 1h, 1h}},
        {"answer fell silent", head + "abc", {1h, 1h, 20ms, 1h}},
        {"whole time used up", head + "abc", {1h, 1h, 1h, 20ms}},
        {"whole time used up", "", {1h, 1h, 1h, 20ms}},
    };
    for (const auto& row : rows) {
        ScriptedServer server{[&](Connection& peer) {
            peer.request();
            peer.send(row.said);
            peer.wait_for_peer_to_close();
        }};
        const auto heard = perform_get(server, {.limits = row.limits});
        BOOST_TEST((heard.result.failure == HttpFailure::timed_out));
        BOOST_TEST(heard.result.detail == row.detail);
        server.finish();
    }
}

BOOST_AUTO_TEST_CASE(a_handshake_that_hangs_is_a_connection_that_takes_too_long) {
    ScriptedServer server{[](Connection& peer) { peer.wait_for_peer_to_close(); }};
    HttpClient client{allowing(server), {}};
    const auto heard =
        perform(client, get("https://" + server.authority() + "/"), {.limits = {20ms, 1h, 1h, 1h}});
    BOOST_TEST((heard.result.failure == HttpFailure::timed_out));
    BOOST_TEST(heard.result.detail == "connect timed out");
}

BOOST_AUTO_TEST_CASE(dripping_is_no_silence_but_the_whole_time_ends_it) {
    ScriptedServer server{[](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while (peer.send("1\r\nx\r\n")) std::this_thread::sleep_for(1ms);
    }};
    const auto heard = perform_get(server, {.limits = {1h, 1h, 1h, 100ms}});
    BOOST_TEST((heard.result.failure == HttpFailure::timed_out));
    BOOST_TEST(heard.result.detail == "whole time used up");
    server.finish();
}

/// Performs in a thread of its own, so that the test can act meanwhile.
struct Background {
    explicit Background(const ScriptedServer& server, std::string url, HttpControl control)
        : client{allowing(server), {}},
          result{std::async(std::launch::async,
                            [this, url = std::move(url), control = std::move(control)] {
                                return client.perform(get(url), control);
                            })} {}
    HttpClient client;
    std::future<HttpResult> result;
};

BOOST_AUTO_TEST_CASE(a_caller_who_leaves_ends_the_call_while_the_upstream_is_silent) {
    const std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n";
    for (const std::string& said : {std::string{}, head, head + "abc"}) {
        auto [ours, callers] = connected_pair();
        std::promise<void> silent;
        ScriptedServer server{[&](Connection& peer) {
            peer.request();
            peer.send(said);
            silent.set_value();
            peer.wait_for_peer_to_close();
        }};
        Background call{server, server.url("/"), {.limits = no_hurry, .cancel_fd = ours.get()}};
        silent.get_future().wait();
        callers.close();
        const auto result = call.result.get();
        BOOST_TEST((result.failure == HttpFailure::cancelled));
        server.finish(); // the upstream saw the end of its connection
    }
}

BOOST_AUTO_TEST_CASE(a_caller_who_leaves_ends_the_call_during_the_handshake) {
    auto [ours, callers] = connected_pair();
    std::promise<void> greeted;
    ScriptedServer server{[&](Connection& peer) {
        greeted.set_value();
        peer.wait_for_peer_to_close();
    }};
    Background call{server,
                    "https://" + server.authority() + "/",
                    {.limits = no_hurry, .cancel_fd = ours.get()}};
    greeted.get_future().wait();
    callers.close();
    BOOST_TEST((call.result.get().failure == HttpFailure::cancelled));
    server.finish();
}

BOOST_AUTO_TEST_CASE(a_caller_who_has_left_already_costs_no_connection) {
    auto [ours, callers] = connected_pair();
    callers.close();
    ScriptedServer server{answers_ok()};
    const auto heard = perform_get(server, {.limits = no_hurry, .cancel_fd = ours.get()});
    BOOST_TEST((heard.result.failure == HttpFailure::cancelled));
    BOOST_TEST(server.connections() == 0);
}

BOOST_AUTO_TEST_CASE(a_reader_who_has_enough_ends_the_call_and_may_keep_the_connection) {
    std::promise<void> done;
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc");
        done.get_future().wait();
        peer.send("def");
        while (!peer.request().head.empty()) peer.answer(200, "text/plain", "ok");
    }};
    HttpClient client{allowing(server), {}};
    HttpControl control{.limits = no_hurry, .linger = 1h};
    control.on_body = [&](std::string_view) {
        done.set_value();
        return false;
    };
    BOOST_TEST((client.perform(get(server.url("/")), control).failure == HttpFailure::stopped));
    BOOST_TEST(perform(client, get(server.url("/"))).body == "ok");
    BOOST_TEST(server.connections() == 1);
}

BOOST_AUTO_TEST_CASE(an_answer_that_goes_on_after_enough_is_closed) {
    ScriptedServer server{[](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
        peer.wait_for_peer_to_close();
    }};
    HttpClient client{allowing(server), {}};
    HttpControl control{.limits = no_hurry, .linger = 5ms};
    control.on_body = [](std::string_view) { return false; };
    BOOST_TEST((client.perform(get(server.url("/")), control).failure == HttpFailure::stopped));
    server.finish();
}

BOOST_AUTO_TEST_CASE(what_a_callback_throws_comes_out_and_the_client_stays_usable) {
    ScriptedServer server{answers_ok()};
    HttpClient client{allowing(server), {}};
    HttpControl from_head{.limits = no_hurry};
    from_head.on_head = [](const HttpHead&) { throw std::domain_error{"head"}; };
    BOOST_CHECK_THROW(client.perform(get(server.url("/")), from_head), std::domain_error);
    HttpControl from_body{.limits = no_hurry};
    from_body.on_body = [](std::string_view) -> bool { throw std::length_error{"body"}; };
    BOOST_CHECK_THROW(client.perform(get(server.url("/")), from_body), std::length_error);
    HttpControl from_tick{.limits = no_hurry, .tick = 1ms};
    ScriptedServer silent{[](Connection& peer) { peer.wait_for_peer_to_close(); }};
    HttpClient other{allowing(silent), {}};
    from_tick.on_tick = [] { throw std::range_error{"tick"}; };
    BOOST_CHECK_THROW(other.perform(get(silent.url("/")), from_tick), std::range_error);
    BOOST_TEST(perform(client, get(server.url("/"))).body == "ok");
}

BOOST_AUTO_TEST_CASE(ticks_come_while_the_upstream_is_silent) {
    std::promise<void> ticked;
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        ticked.get_future().wait();
        peer.answer(200, "text/plain", "ok");
    }};
    int ticks = 0;
    HttpControl control{.limits = no_hurry, .tick = 1ms};
    control.on_tick = [&] {
        if (++ticks == 3) ticked.set_value();
    };
    BOOST_TEST(perform_get(server, control).body == "ok");
    BOOST_TEST(ticks >= 3);
}

BOOST_AUTO_TEST_CASE(threads_share_a_client) {
    ScriptedServer server{answers_ok()};
    HttpClient client{allowing(server), {}};
    std::atomic<int> good = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 25; ++i)
                if (perform(client, get(server.url("/"))).body == "ok") ++good;
        });
    for (auto& thread : threads) thread.join();
    BOOST_TEST(good == 200);
    BOOST_TEST(server.connections() == 8);
}

BOOST_AUTO_TEST_CASE(failures_leave_no_descriptor_and_no_thread_behind) {
    const auto fail_often = [] {
        ScriptedServer server{[](Connection& peer) {
            peer.request();
            switch (peer.number() % 4) {
            case 0:
                peer.reset();
                break;
            case 1:
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
                break;
            case 2:
                peer.send("nonsense");
                break;
            default:
                peer.wait_for_peer_to_close();
            }
        }};
        HttpClient client{allowing(server), {}};
        HttpClient forbidden{EgressPolicy{}, {}};
        for (int i = 0; i < 200; ++i) {
            const auto heard = perform(client, get(server.url("/")), {.limits = {1h, 5ms, 1h, 1h}});
            BOOST_TEST((heard.result.failure != HttpFailure::none));
            perform(forbidden, get(server.url("/")));
        }
    };
    const auto descriptors = entries("/proc/self/fd");
    const auto threads = entries("/proc/self/task");
    std::thread{fail_often}.join(); // the thread's end is the end of its kept connections
    BOOST_TEST(entries("/proc/self/fd") == descriptors);
    // A joined thread may stand in /proc a moment longer; one that is left stands there for good.
    for (int i = 0; i < 5000 && entries("/proc/self/task") != threads; ++i)
        std::this_thread::sleep_for(1ms);
    BOOST_TEST(entries("/proc/self/task") == threads);
}

BOOST_AUTO_TEST_SUITE_END()
