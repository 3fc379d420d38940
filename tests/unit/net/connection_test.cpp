// Which connections are kept, for which user, and which calls use them.
#include "net/connection_pool.hpp"
#include "tests/unit/net/loop_turn.hpp"
#include "tests/unit/net/support.hpp"
#include "tests/unit/run_on.hpp"
using namespace usershell::net;
namespace {
HttpControl of(std::string pool) { return {.limits = no_hurry, .pool = std::move(pool)}; }
std::size_t entries(const char* folder) {
    const std::filesystem::directory_iterator all{folder};
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

BOOST_AUTO_TEST_CASE(one_is_kept_for_the_same_user_and_origin) {
    ScriptedServer server{answer_ok};
    ScriptedServer other{answer_ok};
    Client client{EgressPolicy{{server.authority(), other.authority()}}};
    const std::tuple<const char*, const ScriptedServer&, int> calls[] = {
        {"ada", server, 1}, {"ada", server, 1}, {"bob", server, 2}, {"ada", other, 1},
        {"bob", server, 2}, {"", server, 3},    {"", server, 4},    {"ada", server, 4},
    };
    for (const auto& [pool, called, connections] : calls) {
        BOOST_TEST(perform(client, get(called.url("/")), of(pool)).body == "ok");
        BOOST_TEST(called.connections() == connections);
    }
}

BOOST_AUTO_TEST_CASE(the_one_that_has_been_idle_longest_goes_first) {
    ScriptedServer server{answer_ok};
    auto client = client_of(server);
    const auto call = [&](std::size_t pool) {
        BOOST_TEST(perform(client, get(server.url("/")), of(std::to_string(pool))).body == "ok");
        return server.connections();
    };
    constexpr int most = ConnectionPool::max_idle;
    for (std::size_t pool = 0; pool <= ConnectionPool::max_idle; ++pool) {
        call(pool);
        // libcurl's clock shows the next as later than this one
        if (pool <= 2) std::this_thread::sleep_for(2ms);
    }
    BOOST_TEST(call(1) == most + 1);
    BOOST_TEST(call(0) == most + 2);
    BOOST_TEST(call(2) == most + 3);
}

BOOST_AUTO_TEST_CASE(none_is_kept_that_is_closed_or_not_silent) {
    Loop loop;
    ConnectionPool pool{loop};
    const auto keep = [&](int socket) {
        auto connection = pool.take("ada", "http://a:80");
        connection.socket = socket;
        const auto number = connection.number;
        pool.keep(std::move(connection));
        return number;
    };
    const auto next = [&] { return pool.take("ada", "http://a:80").number; };
    const auto sees_end = [](const Descriptor& peer) {
        char byte = 0;
        return recv(peer.get(), &byte, 1, 0) == 0;
    };
    {
        auto [ours, theirs] = connected_pair();
        const auto kept = keep(ours.get());
        BOOST_TEST(next() == kept);
        BOOST_TEST(next() != kept); // lent
    }
    { // closed by libcurl
        auto [ours, theirs] = connected_pair();
        const auto kept = keep(ours.get());
        pool.closing(ours.get());
        BOOST_TEST(next() != kept);
    }
    { // something came, seen when it is asked for
        auto [ours, theirs] = connected_pair();
        const auto kept = keep(ours.get());
        BOOST_REQUIRE(send(theirs.get(), "x", 1, 0) == 1);
        BOOST_TEST((next() != kept && sees_end(theirs)));
    }
    { // the peer hung up, seen by the loop
        auto [ours, theirs] = connected_pair();
        const auto kept = keep(ours.get());
        BOOST_REQUIRE(shutdown(theirs.get(), SHUT_WR) == 0);
        run_on(loop, one_turn(loop));
        BOOST_TEST((sees_end(theirs) && next() != kept));
    }
}

BOOST_AUTO_TEST_CASE(a_number_is_given_again_after_its_call_and_its_connections) {
    Loop loop;
    ConnectionPool pool{loop};
    const auto next = [&] { return pool.take("ada", "http://a:80").number; };
    const auto number = next();
    for (const int socket : {7, 8}) pool.opened(socket, number);
    for (const int socket : {7, 8}) {
        BOOST_TEST(next() != number);
        pool.closing(socket);
    }
    BOOST_TEST(next() != number);
    pool.release(number);
    BOOST_TEST(next() == number);
}

// libcurl by itself sends a request again when a kept connection ends before a byte.
BOOST_AUTO_TEST_CASE(a_post_is_sent_once_and_a_get_again) {
    const struct {
        HttpRequest request;
        HttpFailure failure;
        int times;
    } rows[] = {
        {post("", "pay"), HttpFailure::unreachable, 1},
        {get(""), HttpFailure::none, 2},
    };
    for (const auto& row : rows) BOOST_TEST_CONTEXT(row.request.method) {
            std::atomic<int> times = 0;
            ScriptedServer server{[&](Connection& peer) {
                if (peer.number() == 0) {
                    peer.request();
                    peer.answer(200, "text/plain", "ok");
                }
                if (!peer.request().head.empty()) ++times;
                if (peer.number() > 0) peer.answer(200, "text/plain", "again");
            }};
            auto client = client_of(server);
            BOOST_TEST(perform(client, get(server.url("/")), of("ada")).body == "ok");
            HttpRequest second = row.request;
            second.url = server.url("/");
            BOOST_TEST((perform(client, second, of("ada")).failure() == row.failure));
            BOOST_TEST(times == row.times);
            BOOST_TEST(server.connections() == row.times);
        }
}

// Each user has a connection of their own, though all are to the same host and port.
BOOST_AUTO_TEST_CASE(calls_run_side_by_side_each_on_its_users_connection) {
    std::mutex lock;
    std::map<int, std::set<std::string>> users; // of a connection
    ScriptedServer server{[&](Connection& peer) {
        for (auto request = peer.request(); !request.head.empty(); request = peer.request()) {
            const std::scoped_lock hold{lock};
            users[peer.number()].insert(request.header("X-User"));
            peer.answer(200, "text/plain", "ok");
        }
    }};
    auto client = client_of(server);
    int good = 0;
    int left = 8;
    AsyncEvent all{client.loop};
    all.reset();
    const auto one_user = [&](std::string user) -> Task<> {
        HttpRequest request = get(server.url("/"));
        request.headers = {{"X-User", user}};
        const HttpControl control = of(user);
        for (int i = 0; i < 25; ++i) {
            const HttpResult result = co_await client.http.perform(request, control);
            if (result.failure == HttpFailure::none) ++good;
        }
        if (--left == 0) all.set();
    };
    const auto everybody = [&]() -> Task<> {
        for (int user = 0; user < 8; ++user) start(one_user(std::to_string(user)));
        co_await all.wait();
    };
    run_on(client.loop, everybody());
    BOOST_TEST(good == 200);
    BOOST_TEST(server.connections() == 8);
    const std::scoped_lock hold{lock};
    for (const auto& [connection, of_it] : users) BOOST_TEST(of_it.size() == 1U);
}

BOOST_AUTO_TEST_CASE(failures_leave_no_descriptor_and_no_thread_behind) {
    const auto fail_often = [] {
        ScriptedServer server{[](Connection& peer) {
            peer.request();
            const int fault = peer.number() % 4;
            if (fault == 0) peer.reset();
            if (fault == 1) peer.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc");
            if (fault == 2) peer.send("nonsense");
            if (fault == 3) peer.wait_for_peer_to_close();
        }};
        auto client = client_of(server);
        Client forbidden{EgressPolicy{}};
        for (int i = 0; i < 200; ++i) {
            const HttpControl control{.limits = {1h, 5ms, 1h}, .pool = "ada"};
            const auto answer = perform(client, get(server.url("/")), control);
            BOOST_TEST((answer.failure() != HttpFailure::none));
            perform(forbidden, get(server.url("/")));
        }
    };
    fail_often(); // what is opened once and for good is open now
    const auto descriptors = entries("/proc/self/fd");
    const auto threads = entries("/proc/self/task");
    fail_often();
    BOOST_TEST(entries("/proc/self/fd") == descriptors);
    // A joined thread may remain in /proc for a moment; a leaked one remains for good.
    for (int i = 0; i < 5000 && entries("/proc/self/task") != threads; ++i)
        std::this_thread::sleep_for(1ms);
    BOOST_TEST(entries("/proc/self/task") == threads);
}
} // namespace
