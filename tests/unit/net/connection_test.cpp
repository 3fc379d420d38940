// Which connections are kept, for which user, and which calls use them. TLS, against Python's ssl
// with a certificate made for this run. The reader of server-sent events: what WHATWG says, cut
// anywhere, and its bounds.
#include "net/connection_pool.hpp"
#include "net/event_stream.hpp"
#include "tests/unit/net/support.hpp"
#include "tests/unit/run_on.hpp"
#include "tests/unit/test.hpp"
#include <cstdio>
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

struct TlsServer : boost::noncopyable {
    explicit TlsServer(const std::string& subject = "IP:127.0.0.1", const std::string& after = "") {
        const std::string key = file("key"), files = certificate + " " + key;
        const std::string make =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 "
            "-nodes -days 2 -subj /CN=test -addext subjectAltName=" +
            subject + " -keyout " + key + " -out " + certificate;
        const std::string serve = "exec /usr/bin/python3 " USERSHELL_SOURCE_DIR
                                  "/tests/unit/net/tls_server.py " +
                                  files + " " + after;
        const auto command = make + " 2>/dev/null && " + serve + " 2>/dev/null";
        output = ::popen(command.c_str(), "re"); // NOLINT(cert-env33-c): words of our own
        BOOST_REQUIRE(output != nullptr);
        pid = std::stoi(line());
        authority = "127.0.0.1:" + line();
    }
    ~TlsServer() {
        ::kill(pid, SIGKILL);
        ::pclose(output);
    }
    /// Its output without the end; empty when there is none.
    std::string line() const {
        char text[512];
        if (!std::fgets(text, sizeof text, output)) return {};
        return std::string{text}.substr(0, std::string_view{text}.find('\n'));
    }
    Client client(const std::string& ca_file) const {
        return Client{EgressPolicy{{authority}}, ca_file};
    }
    std::string url() const { return "https://" + authority + "/"; }
    std::string file(const char* name) const { return folder.path() / name; }
    TemporaryFolder folder;
    std::string certificate = file("certificate"), authority;
    std::FILE* output = nullptr;
    pid_t pid = -1;
};

BOOST_AUTO_TEST_CASE(a_certificate_must_be_trusted_and_name_the_host) {
    const TlsServer good;
    const TlsServer other{"DNS:example.org"};
    const std::tuple<const TlsServer&, std::string, HttpFailure> rows[] = {
        {good, good.certificate, HttpFailure::none},
        {good, "", HttpFailure::bad_certificate},
        {good, good.file("missing"), HttpFailure::bad_certificate},
        {other, other.certificate, HttpFailure::bad_certificate},
    };
    for (const auto& [server, ca_file, failure] : rows) BOOST_TEST_CONTEXT(ca_file) {
            auto client = server.client(ca_file);
            BOOST_TEST((perform(client, get(server.url())).failure() == failure));
        }
}

// libcurl 7.88 takes a TLS connection with unread bytes for a live one: it would read the extra
// answer as that of the next request, and would write a request to a server that has said goodbye.
BOOST_AUTO_TEST_CASE(a_connection_is_used_again_only_while_nothing_has_come_over_it) {
    const std::pair<const char*, const char*> rows[] = {
        {"", "1 False"}, {"goodbye", "2 False"}, {"extra", "2 False"}};
    for (const auto& [after, second] : rows) BOOST_TEST_CONTEXT(after) {
            const TlsServer server{"IP:127.0.0.1", after};
            auto client = server.client(server.certificate);
            const HttpControl control{.limits = no_hurry, .pool = "ada"};
            for (const std::string expected : {"1 False", second}) {
                const auto answer = perform(client, post(server.url(), "x"), control);
                BOOST_TEST((answer.failure() == HttpFailure::none));
                BOOST_TEST(answer.body == "ok");
                BOOST_TEST(server.line() == expected);
            }
        }
}

BOOST_AUTO_TEST_CASE(plain_http_behind_https_is_unreachable) {
    ScriptedServer server{[](Connection& peer) {
        peer.line();
        peer.send("HTTP/1.1 400 Bad Request\r\n\r\n");
    }};
    auto client = client_of(server);
    const auto answer = perform(client, get("https://" + server.authority() + "/"));
    BOOST_TEST((answer.failure() == HttpFailure::unreachable));
}

using Events = std::vector<std::pair<std::string, std::string>>;
Events read(const std::vector<std::string_view>& pieces) {
    Events events;
    EventStream stream;
    std::string raw;
    const auto take = [&] {
        while (const auto event = stream.next()) {
            raw += event->raw;
            if (!event->data.empty()) events.emplace_back(event->name, event->data);
        }
    };
    std::string all;
    for (const auto piece : pieces) {
        BOOST_REQUIRE(stream.feed(piece));
        take();
        all += piece;
        BOOST_TEST(raw + std::string{stream.rest()} == all); // no byte is lost or changed
    }
    stream.finish();
    take();
    return events;
}
int count(EventStream& stream) {
    int events = 0;
    while (const auto event = stream.next()) events += event->data.empty() ? 0 : 1;
    return events;
}
const std::pair<std::string, Events> streams[] = {
    {"data: a\n\ndata: b\n\n", {{"", "a"}, {"", "b"}}},
    {"data: a\r\n\r\ndata: b\r\n\r\n", {{"", "a"}, {"", "b"}}},
    {"data: a\r\rdata: b\r\r", {{"", "a"}, {"", "b"}}},
    {"data: a\r\n\ndata: b\n\r\n", {{"", "a"}, {"", "b"}}},
    {"\ufeffdata: a\n\n", {{"", "a"}}},
    {"\ufeff\ndata: a\n\n", {{"", "a"}}},
    {"data: a\n\n\ufeffdata: b\n\n", {{"", "a"}}}, // only at the start is it a mark
    {": ping\n\ndata: a\n: OPENROUTER PROCESSING\n\n:\n\n", {{"", "a"}}},
    {"event: x\ndata: a\n\ndata: b\n\n", {{"x", "a"}, {"", "b"}}},
    {"event: x\n\ndata: b\n\n", {{"", "b"}}}, // without data it is none, its name forgotten
    {"data: a\ndata: b\n\n", {{"", "a\nb"}}},
    {"data\ndata: b\n\n", {{"", "\nb"}}},
    {"data:a\n\ndata:  a\n\n", {{"", "a"}, {"", " a"}}},
    {"data: a: b\n\n", {{"", "a: b"}}},
    {"data:\n\n", {}},
    {"id: 1\nretry: 5\nx: y\nnonsense\ndata: a\n\n", {{"", "a"}}},
    {"data: {}\ndata: {\"a\":1}\n\n", {{"", "{}"}, {"", "{\"a\":1}"}}}, // one newline between
    {"data: {}\n \ndata: [DONE]\n\n", {{"", "{}"}, {"", "[DONE]"}}},
    {"data: {\ndata: }\n\n", {{"", "{\n}"}}},
    {"data: [{},\ndata: {}]\n\n", {{"", "[{},\n{}]"}}},
    {"event: x\ndata: {}\n\nevent: y\ndata: {}\n\n", {{"x", "{}"}, {"y", "{}"}}},
    {": a\n\n{\"error\":1}\n\n", {{"", "{\"error\":1}"}}}, // JSON alone
    {"data: a", {{"", "a"}}},                              // no line end
    {"data: a\n", {{"", "a"}}},                            // no blank line
    {"data: a\n\ndata: ", {{"", "a"}}},
    {"", {}},
    {"\n\r\n\r", {}},
};

BOOST_AUTO_TEST_CASE(every_cut_gives_the_same_events) {
    for (const auto& [text, events] : streams) {
        const std::string_view all = text;
        for (std::size_t cut = 0; cut <= all.size(); ++cut)
            BOOST_TEST((read({all.substr(0, cut), all.substr(cut)}) == events),
                       text << " cut at " << cut);
        std::vector<std::string_view> bytes;
        for (std::size_t i = 0; i < all.size(); ++i) bytes.push_back(all.substr(i, 1));
        BOOST_TEST((read(bytes) == events), text << " byte by byte");
    }
}

BOOST_AUTO_TEST_CASE(an_event_is_bounded_however_it_is_cut) {
    const std::pair<std::string, int> table[] = {
        {"data: 01234567\n\n", 1},                // 16 bytes
        {"data: 012345678\n\n", 0},               // 17
        {"data: 0123456789abcdef", 0},            // one line
        {"data: 012\ndata: 012\ndata: 0\n\n", 0}, // many
        {"x\nx\nx\nx\nx\nx\nx\nx\nx\n\n", 0},     // of no data
        {"data: a\n\ndata: 0123456789abcdef\n\ndata: b\n\n", 1},
    };
    for (const auto& [text, events] : table)
        for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, text.size()}) {
            EventStream stream{16};
            int seen = 0;
            for (std::size_t at = 0; at < text.size() && !stream.is_over(); at += piece) {
                stream.feed(std::string_view{text}.substr(at, piece));
                seen += count(stream);
            }
            stream.finish();
            BOOST_TEST(seen + count(stream) == events, text << " by " << piece);
            BOOST_TEST(stream.is_over() == (text.size() > 16));
        }
    EventStream comments{16};
    for (int i = 0; i < 100; ++i) {
        BOOST_TEST(comments.feed(": ping\n\n"));
        BOOST_TEST(count(comments) == 0);
    }
    BOOST_TEST((comments.feed("data: a\n\n") && count(comments) == 1));
}
} // namespace
