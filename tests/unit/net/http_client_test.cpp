// HttpClient against a scripted server: what is sent, what is refused, and how each fault ends.
#include "net/connection_pool.hpp"
#include "net/http_head.hpp"
#include "tests/unit/net/support.hpp"
#include <cstdlib>
#include <sys/resource.h>
using namespace usershell::net;
namespace {
ScriptedServer::Script says(std::string bytes) {
    return [bytes = std::move(bytes)](Connection& peer) {
        if (!peer.request().head.empty()) peer.send(bytes);
    };
}
ScriptedServer::Script says_and_waits(std::string bytes) {
    return [bytes = std::move(bytes)](Connection& peer) {
        peer.request();
        peer.send(bytes);
        peer.wait_for_peer_to_close();
    };
}
HttpFailure failure_of(const ScriptedServer& server,
                       const HttpControl& control = {.limits = no_hurry}) {
    return perform_get(server, control).failure();
}
const std::string head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
const std::string ten_bytes = head + "Content-Length: 10\r\n\r\n";
const std::string chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
/// A zero and so many times 258 more, by RFC 1951 with its fixed codes.
std::string deflated_zeros(int repeats) {
    std::string bytes;
    unsigned room = 0;
    const auto put = [&](std::string_view bits) {
        for (const char bit : bits) {
            if (room == 0) bytes += '\0';
            if (bit == '1') bytes.back() = static_cast<char>(bytes.back() | (1 << room));
            room = (room + 1) % 8;
        }
    };
    put("11000110000");                                     // the last block, fixed codes, a zero
    for (int i = 0; i < repeats; ++i) put("1100010100000"); // 258 bytes like the one before
    put("0000000");
    return bytes;
}

BOOST_AUTO_TEST_CASE(a_request_is_sent_as_asked_and_its_answer_given_as_it_came) {
    std::promise<Received> seen;
    ScriptedServer server{[&](Connection& peer) {
        seen.set_value(peer.request());
        peer.send("HTTP/1.1 100 Continue\r\n\r\n");
        peer.answer(201, "Text/Event-Stream; charset=utf-8", "data",
                    "X-Thing: one\r\nx-thing:  two \r\n");
    }};
    auto client = client_of(server);
    HttpRequest request = post(server.url("/v1/chat?x=1"), "{\"a\":1}");
    request.headers = {{"Content-Type", "application/json"}, {"X-Words", "a b"}};
    request.key = KeyHeader{"Authorization", "Bearer ", "sk-canary-1"};
    std::vector<int> heads;
    HttpControl control{.limits = no_hurry};
    control.on_head = [&](const HttpHead& answer) { heads.push_back(answer.status); };
    const auto answer = perform(client, request, control);
    const auto received = seen.get_future().get();
    BOOST_TEST(received.line() == "POST /v1/chat?x=1 HTTP/1.1");
    BOOST_TEST(received.header("User-Agent").starts_with("usershell/"));
    BOOST_TEST(received.body == "{\"a\":1}");
    const std::pair<const char*, std::string> headers[] = {
        {"Host", server.authority()},         {"Authorization", "Bearer sk-canary-1"},
        {"Content-Type", "application/json"}, {"X-Words", "a b"},
        {"Accept-Encoding", "identity"},      {"Expect", ""},
    };
    for (const auto& [name, value] : headers) BOOST_TEST(received.header(name) == value, name);
    BOOST_TEST((answer.failure() == HttpFailure::none));
    BOOST_TEST(answer.result.head.status == 201);
    BOOST_TEST(answer.result.head.content_type == "text/event-stream");
    BOOST_TEST(answer.result.head.fields.at("x-thing") == "two");
    BOOST_TEST(answer.body == "data");
    BOOST_TEST(heads == std::vector{201}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_own_header_is_sent_once_in_place_of_ours) {
    std::promise<Received> seen;
    ScriptedServer server{[&](Connection& peer) {
        seen.set_value(peer.request());
        peer.answer(200, "text/plain", "ok");
    }};
    auto client = client_of(server);
    HttpRequest request = post(server.url("/"), "{}");
    request.headers = {{"X-Words", "ours"}, {"Anthropic-Version", "1"}};
    request.key = KeyHeader{"Authorization", "Bearer ", "sk-canary-1"};
    const std::vector<KeyHeader> own{{"x-words", "", "of its own; and: more"},
                                     {"user-agent", "", "mine"},
                                     {"x-tenant", "", "acme"}};
    HttpControl control{.limits = no_hurry, .own_headers = own};
    perform(client, request, control);
    const auto received = seen.get_future().get();
    for (const auto& [name, value] :
         {std::pair{"X-Words", "of its own; and: more"}, std::pair{"User-Agent", "mine"},
          std::pair{"X-Tenant", "acme"}, std::pair{"Anthropic-Version", "1"},
          std::pair{"Authorization", "Bearer sk-canary-1"}})
        BOOST_TEST(received.header(name) == value, name);
    BOOST_TEST(received.head.find("ours") == std::string::npos);
    BOOST_TEST(received.head.find("usershell/") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_own_header_can_not_smuggle_another) {
    ScriptedServer server{answer_ok};
    auto client = client_of(server);
    for (const auto& [name, value] :
         {std::pair{"x-a"sv, "a\r\nX-B: b"sv}, std::pair{"x-a"sv, "a\nb"sv},
          std::pair{"x-a"sv, "a\rb"sv}, std::pair{"x-a"sv, "a\0b"sv}, std::pair{"x-a"sv, ""sv},
          std::pair{"x-a"sv, "a\tb"sv}, std::pair{"x-a"sv, "caf\xc3\xa9"sv},
          std::pair{"x-a: b\r\nx-c"sv, "d"sv}, std::pair{"x a"sv, "d"sv}, std::pair{""sv, "d"sv},
          std::pair{"x:"sv, "d"sv}, std::pair{"x;"sv, "d"sv}}) {
        const KeyHeader own{std::string{name}, "", value};
        const HttpControl control{.limits = no_hurry, .own_headers = {&own, 1}};
        BOOST_TEST(
            (perform(client, get(server.url("/")), control).failure() == HttpFailure::unsendable),
            name << "|" << value);
    }
    BOOST_TEST(server.connections() == 0);
}

BOOST_AUTO_TEST_CASE(a_forbidden_address_is_never_connected_to) {
    ScriptedServer server{answer_ok};
    Client client{EgressPolicy{}};
    const std::string port = ":" + std::to_string(server.port());
    // More of them: base_url_test.cpp.
    for (const char* host : {"127.0.0.1", "127.1", "2130706433", "0x7f.1", "0", "[::1]", "[::]",
                             "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "LOCALHOST", "x.localhost",
                             "intranet", "169.254.169.254", "10.0.0.1", "[fe80::1]"}) {
        const auto answer = perform(client, get("http://" + std::string{host} + port + "/"));
        BOOST_TEST((answer.failure() == HttpFailure::forbidden_address), host);
        BOOST_TEST(answer.result.head.status == 0);
    }
    BOOST_TEST(server.connections() == 0);
    BOOST_TEST(perform_get(server).body == "ok");
    BOOST_TEST(server.connections() == 1); // the others would have been counted
}

BOOST_AUTO_TEST_CASE(an_allowed_name_may_resolve_to_loopback) {
    ScriptedServer server{answer_ok};
    const std::string name = "localhost:" + std::to_string(server.port());
    Client client{EgressPolicy{{name}}};
    BOOST_TEST(perform(client, get("http://" + name + "/")).body == "ok");
}

BOOST_AUTO_TEST_CASE(neither_a_redirect_nor_a_proxy_leads_elsewhere) {
    ScriptedServer elsewhere{answer_ok};
    ScriptedServer server{
        says("HTTP/1.1 302 Found\r\nLocation: " + elsewhere.url("/") + "\r\n\r\n")};
    Client client{EgressPolicy{{server.authority(), elsewhere.authority()}}};
    const auto variables = {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"};
    for (const char* name : variables) setenv(name, elsewhere.url().c_str(), 1);
    const auto answer = perform(client, get(server.url("/")));
    for (const char* name : variables) unsetenv(name);
    BOOST_TEST((answer.failure() == HttpFailure::none));
    BOOST_TEST(answer.result.head.status == 302);
    BOOST_TEST(answer.body.empty());
    BOOST_TEST(elsewhere.connections() == 0);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_sent_is_not_sent) {
    ScriptedServer server{answer_ok};
    auto client = client_of(server);
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
          get("http://[fe80::1%25eth0]:" + std::to_string(server.port()) + "/")})
        BOOST_TEST((perform(client, request).failure() == HttpFailure::unsendable), request.url);
    BOOST_TEST(server.connections() == 0);
}

BOOST_AUTO_TEST_CASE(each_broken_answer_has_its_name) {
    std::string many;
    for (int i = 0; i < 5000; ++i)
        many += "X-H" + std::to_string(i) + ": some value of a header\r\n";
    const std::string long_text(400'000, 'a');
    const std::tuple<const char*, std::string, HttpFailure, std::string> faults[] = {
        {"nothing", "", HttpFailure::unreachable, ""},
        {"half a head", "HTTP/1.1 200 OK\r\nContent-", HttpFailure::cut_off, ""},
        {"short body", ten_bytes + "abc", HttpFailure::cut_off, "abc"},
        {"chunks without an end", chunked + "3\r\nabc\r\n", HttpFailure::cut_off, "abc"},
        {"garbage", "SSH-2.0-OpenSSH_9.2\r\n", HttpFailure::not_http, ""},
        {"endless status line", "HTTP/1.1 200 " + long_text, HttpFailure::too_large, ""},
        {"a bomb of headers", head + many + "\r\n", HttpFailure::too_large, ""},
        {"a body ended by closing", head + "\r\nabc", HttpFailure::none, "abc"},
        {"trailers", chunked + "3\r\nabc\r\n0\r\nContent-Type: x/y\r\n\r\n", HttpFailure::none,
         "abc"},
    };
    for (const auto& [name, bytes, failure, body] : faults) BOOST_TEST_CONTEXT(name) {
            ScriptedServer server{says(bytes)};
            const auto answer = perform_get(server);
            BOOST_TEST((answer.failure() == failure));
            BOOST_TEST(answer.body == body);
            if (failure == HttpFailure::none)
                BOOST_TEST(answer.result.head.content_type == "text/plain");
        }
}

BOOST_AUTO_TEST_CASE(a_reset_and_a_refusal_are_told_from_a_cut) {
    ScriptedServer early{[](Connection& peer) {
        peer.request();
        peer.reset();
    }};
    BOOST_TEST((failure_of(early) == HttpFailure::unreachable));
    std::promise<void> some_came;
    ScriptedServer late{[&](Connection& peer) {
        peer.request();
        peer.send(ten_bytes + "abc");
        some_came.get_future().wait();
        peer.reset();
    }};
    HttpControl control{.limits = no_hurry};
    control.on_body = [&](std::string_view) {
        some_came.set_value();
        return true;
    };
    BOOST_TEST((failure_of(late, control) == HttpFailure::cut_off));
    const std::string dead = ScriptedServer{answer_ok}.authority();
    Client other{EgressPolicy{{dead}}};
    BOOST_TEST((perform(other, get("http://" + dead)).failure() == HttpFailure::unreachable));
}

// An answer of 100 MiB, and one of 16 MiB that has come as 52 KB.
BOOST_AUTO_TEST_CASE(a_huge_answer_is_cut_at_the_limit) {
    const ScriptedServer::Script scripts[] = {
        [](Connection& peer) {
            peer.request();
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 104857600\r\n\r\n");
            const std::string block(65536, 'x');
            for (int i = 0; i < 1600 && peer.send(block); ++i) {
            }
        },
        [](Connection& peer) {
            peer.request();
            peer.answer(200, "text/plain", deflated_zeros(64 * 1024),
                        "Content-Encoding: deflate\r\n");
        },
    };
    for (const auto& script : scripts) {
        ScriptedServer server{script};
        HttpControl control{.limits = no_hurry};
        control.limits.answer_bytes = std::size_t{1024} * 1024;
        const auto answer = perform_get(server, control);
        BOOST_TEST((answer.failure() == HttpFailure::too_large));
        BOOST_TEST(answer.body.size() <= 1024 * 1024U);
        server.finish(); // the connection was closed, not left to drip
    }
}

Answer encoded_answer(const char* encoding, const std::string& bytes) {
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        peer.answer(200, "text/plain", bytes, "Content-Encoding: "s + encoding + "\r\n");
    }};
    return perform_get(server);
}

BOOST_AUTO_TEST_CASE(an_encoding_nobody_asked_for_is_taken_off) {
    const std::string member =
        "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\xc8\xcf\x4b\x07\0\x4f\x41\x58\x21\x04\0\0\0"s;
    const struct {
        const char* encoding;
        std::string bytes;
        HttpFailure failure;
        std::string body;
    } table[] = {
        {"gzip", member, HttpFailure::none, "pong"},
        {"deflate", "\x2b\xc8\xcf\x4b\x07\0"s, HttpFailure::none, "pong"},
        {"br", "\x30\0\x10pong\x03"s, HttpFailure::none, "pong"},
        {"gzip", "pong", HttpFailure::not_http, ""},
        {"gzip", "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\xc8\xcf"s, HttpFailure::cut_off, "po"},
        {"gzip", member + member.substr(0, 3), HttpFailure::cut_off, "pong"},
        {"gzip", "", HttpFailure::none, ""},
        {"gzip", member + member, HttpFailure::none, "pongpong"},
        {"identity, X-GZIP", member, HttpFailure::none, "pong"},
        {"UTF-8,gzip", member + "padding", HttpFailure::none, "pong"},
        {"deflate", "\x78\x9c\x2b\xc8\xcf\x4b\x07\0\x04\x54\x01\xb5"s, HttpFailure::none, "pong"},
        {"zstd", "\x28\xb5\x2f\xfd\0\x58\x21\0\0pong"s, HttpFailure::none, "pong"},
        {"zstd", "pong", HttpFailure::not_http, ""},
        {"br", R"({"a":1})", HttpFailure::not_http, ""},
    };
    for (const auto& row : table) BOOST_TEST_CONTEXT(row.encoding << " of " << row.body) {
            const auto answer = encoded_answer(row.encoding, row.bytes);
            BOOST_TEST((answer.failure() == row.failure));
            BOOST_TEST(answer.body == row.body);
        }
}

// The connection ends as HTTP wants it: the coding alone tells that something is missing.
BOOST_AUTO_TEST_CASE(an_encoding_without_its_end_is_a_part_of_an_answer) {
    const std::pair<const char*, std::string> table[] = {
        {"gzip", "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\xc8\xcf\x4b\x07\0\x4f\x41\x58\x21\x04\0\0\0"s},
        {"deflate", "\x2b\xc8\xcf\x4b\x07\0"s},
        {"deflate", "\x78\x9c\x2b\xc8\xcf\x4b\x07\0\x04\x54\x01\xb5"s},
        {"br", "\x30\0\x10pong\x03"s},
        {"zstd", "\x28\xb5\x2f\xfd\0\x58\x21\0\0pong"s},
    };
    for (const auto& [coding, bytes] : table)
        for (std::size_t cut = 1; cut <= bytes.size(); ++cut) {
            const auto decoder = ContentDecoder::of(coding);
            std::string text;
            const bool is_decoded =
                decoder->take(bytes.substr(0, cut), [&](auto part) { return text += part, true; });
            const bool is_whole = cut == bytes.size();
            BOOST_TEST(is_decoded, coding << " cut at " << cut);
            BOOST_TEST(decoder->is_cut() == !is_whole, coding << " cut at " << cut);
            BOOST_TEST("pong"s.starts_with(text));
            BOOST_TEST((!is_whole || text == "pong"));
        }
}

// Gateways name a character set there, or that there is no coding.
BOOST_AUTO_TEST_CASE(an_encoding_that_is_none_leaves_the_answer_as_it_is) {
    for (const char* encoding : {"UTF-8", "utf-8, identity", "identity,", "none", "", "secret",
                                 "aws-chunked", "chunked", "binary, 8bit"}) {
        const auto answer = encoded_answer(encoding, "pong");
        BOOST_TEST((answer.failure() == HttpFailure::none), encoding);
        BOOST_TEST(answer.body == "pong", encoding);
    }
}

// A KiB can become a GiB within one call of libcurl's, and gives no byte to count.
BOOST_AUTO_TEST_CASE(an_answer_encoded_twice_is_not_read) {
    for (const char* coded :
         {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip",
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip,identity , GZIP",
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Encoding: br",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: deflate, gzip, chunked",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Encoding: gzip",
          ("HTTP/1.1 103 Early\r\nContent-Encoding: gzip\r\n\r\n"
           "HTTP/1.1 200 OK\r\nContent-Encoding: gzip")}) {
        ScriptedServer server{says(coded + "\r\n\r\nany bytes"s)};
        BOOST_TEST((failure_of(server) == HttpFailure::not_http), coded);
    }
}

// Without a word of it to the reader, too: a head alone, and the endless extension of a chunk.
BOOST_AUTO_TEST_CASE(a_call_that_has_spent_its_budget_ends) {
    const ScriptedServer::Script scripts[] = {
        says_and_waits(ten_bytes), says_and_waits(ten_bytes + "abc"), [](Connection& peer) {
            peer.request();
            peer.send(chunked + "1;");
            while (peer.send(std::string(4096, 'x'))) {
            }
        }};
    for (const auto& script : scripts) {
        ScriptedServer server{script};
        CallBudget budget{1, 1ns};
        HttpControl control{.limits = no_hurry};
        control.budget = &budget;
        BOOST_TEST((failure_of(server, control) == HttpFailure::too_costly));
        server.finish();
    }
}

BOOST_AUTO_TEST_CASE(what_the_reader_works_is_counted) {
    ScriptedServer server{says_and_waits(ten_bytes + "abc")};
    static std::chrono::nanoseconds worked;
    CallBudget budget{1, 1h, [] { return worked; }, [] { return worked; }};
    HttpControl control{.limits = no_hurry};
    control.budget = &budget;
    control.on_body = [](std::string_view) {
        worked += 2h;
        return true;
    };
    BOOST_TEST((failure_of(server, control) == HttpFailure::too_costly));
}

// Every other limit is an hour.
BOOST_AUTO_TEST_CASE(each_limit_ends_the_call_that_it_is_for) {
    const ScriptedServer::Script drips = [](Connection& peer) {
        peer.request();
        peer.send(chunked);
        while (peer.send("1\r\nx\r\n")) std::this_thread::sleep_for(1ms);
    };
    const std::tuple<const char*, std::string, ScriptedServer::Script, HttpLimits> rows[] = {
        {"connect: a handshake that hangs", "https", says_and_waits(""), {20ms, 1h, 1h}},
        {"silence: nothing", "http", says_and_waits(""), {1h, 20ms, 1h}},
        {"silence: a head alone", "http", says_and_waits(ten_bytes), {1h, 20ms, 1h}},
        {"silence: in the middle", "http", says_and_waits(ten_bytes + "abc"), {1h, 20ms, 1h}},
        {"total: nothing", "http", says_and_waits(""), {1h, 1h, 20ms}},
        {"total: dripping", "http", drips, {1h, 1h, 100ms}},
    };
    for (const auto& [name, scheme, script, limits] : rows) BOOST_TEST_CONTEXT(name) {
            ScriptedServer server{script};
            auto client = client_of(server);
            const auto answer =
                perform(client, get(scheme + "://" + server.authority() + "/"), {.limits = limits});
            BOOST_TEST((answer.failure() == HttpFailure::timed_out));
            server.finish();
        }
}

// Also while the upstream keeps the connection open, and keeps it alive.
BOOST_AUTO_TEST_CASE(an_answer_that_has_said_its_last_word_ends) {
    const ScriptedServer::Script drips = [](Connection& peer) {
        peer.request();
        peer.send(chunked);
        while (peer.send("1\r\nx\r\n")) std::this_thread::sleep_for(1ms);
    };
    for (const auto& script : {says_and_waits(ten_bytes + "abc"), drips}) {
        ScriptedServer server{script};
        std::string read;
        HttpControl control{.limits = no_hurry, .grace = 20ms};
        control.on_body = [&](std::string_view piece) { return read += piece, true; };
        control.is_answered = [] { return true; };
        BOOST_TEST((failure_of(server, control) == HttpFailure::stopped));
        BOOST_TEST(!read.empty());
        server.finish();
    }
}

BOOST_AUTO_TEST_CASE(a_caller_who_leaves_ends_the_call_while_the_upstream_is_silent) {
    const struct {
        const char* name;
        std::string scheme, said;
    } rows[] = {
        {"no answer", "http", ""},
        {"a part", "http", ten_bytes + "abc"},
        {"in the handshake", "https", ""},
    };
    for (const auto& row : rows) BOOST_TEST_CONTEXT(row.name) {
            std::promise<void> silent;
            ScriptedServer server{[&](Connection& peer) {
                if (row.scheme == "http") peer.request();
                peer.send(row.said);
                silent.set_value();
                peer.wait_for_peer_to_close();
            }};
            auto client = client_of(server);
            CancellationToken cancellation;
            auto result = std::async(std::launch::async, [&] {
                return client.perform(get(row.scheme + "://" + server.authority() + "/"),
                                      {.limits = no_hurry, .cancellation = &cancellation});
            });
            silent.get_future().wait();
            start([](Loop& loop, CancellationToken& caller) -> Task<> {
                co_await loop.enter();
                caller.cancel();
            }(client.loop, cancellation));
            BOOST_TEST((result.get().failure == HttpFailure::cancelled));
            server.finish(); // the upstream saw the end of its connection
        }
}

BOOST_AUTO_TEST_CASE(a_call_ends_between_two_pieces_that_have_come) {
    const struct {
        const char* name;
        bool leaves;
        std::chrono::milliseconds total;
        HttpFailure failure;
    } rows[] = {
        {"the caller leaves", true, 1h, HttpFailure::cancelled},
        {"the time is over", false, 100ms, HttpFailure::timed_out},
    };
    for (const auto& row : rows) BOOST_TEST_CONTEXT(row.name) {
            ScriptedServer server{says_and_waits(chunked + "8000\r\n" + std::string(0x8000, 'x'))};
            CancellationToken cancellation;
            std::size_t read = 0;
            HttpControl control{.limits = no_hurry, .cancellation = &cancellation};
            control.limits.total = row.total;
            control.on_body = [&](std::string_view piece) {
                read += piece.size();
                if (row.leaves)
                    cancellation.cancel();
                else if (read < 0x8000) // a reader with much to do
                    std::this_thread::sleep_for(20ms);
                return true;
            };
            BOOST_TEST((perform_get(server, control).failure() == row.failure));
            BOOST_TEST((row.leaves ? read < 0x8000 : read > 0));
        }
}

BOOST_AUTO_TEST_CASE(a_caller_who_has_left_already_costs_no_connection) {
    CancellationToken cancellation;
    cancellation.cancel();
    ScriptedServer server{answer_ok};
    const auto answer = perform_get(server, {.limits = no_hurry, .cancellation = &cancellation});
    BOOST_TEST((answer.failure() == HttpFailure::cancelled));
    BOOST_TEST(server.connections() == 0);
}

// A slow reader stops its own upstream, and no other call. Its silence is not the upstream's.
BOOST_AUTO_TEST_CASE(behind_a_closed_gate_nothing_is_read) {
    constexpr std::size_t whole = std::size_t{32} * 1024 * 1024;
    std::atomic<std::size_t> written = 0;
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        peer.send(head + "Content-Length: " + std::to_string(whole) + "\r\n\r\n");
        const std::string block(65536, 'x');
        while (written < whole && peer.send(block)) written += block.size();
    }};
    ScriptedServer quick{answer_ok};
    Client client{EgressPolicy{{server.authority(), quick.authority()}}};
    AsyncEvent event{client.loop};
    event.reset();
    std::size_t read = 0;
    HttpControl control{.limits = no_hurry};
    control.limits.answer_bytes = whole;
    control.writable = &event;
    control.limits.silence = 500ms; // a server on a busy machine is silent for a while
    control.tick = 1ms;             // which is not accepted there
    control.on_tick = [] {};
    control.on_body = [&](std::string_view piece) {
        read += piece.size();
        return true;
    };
    const HttpRequest slow_request = get(server.url("/")), request = get(quick.url("/"));
    const HttpControl plain{.limits = no_hurry};
    HttpResult slow;
    AsyncEvent done{client.loop};
    done.reset();
    const auto slowly = [&]() -> Task<> {
        slow = co_await client.http.perform(slow_request, control);
        done.set();
    };
    const auto both = [&]() -> Task<> {
        start(slowly());
        const auto begun = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() < begun + 800ms) {
            const HttpResult result = co_await client.http.perform(request, plain);
            BOOST_TEST((result.failure == HttpFailure::none));
        }
        BOOST_TEST(read <= 32768U);
        BOOST_TEST(written < whole);
        event.set();
        co_await done.wait();
    };
    run_on(client.loop, both());
    BOOST_TEST((slow.failure == HttpFailure::none));
    BOOST_TEST(read == whole);
}

BOOST_AUTO_TEST_CASE(a_reader_that_stops_may_keep_the_connection) {
    std::promise<void> stopped;
    ScriptedServer server{[&](Connection& peer) {
        peer.request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc");
        stopped.get_future().wait();
        peer.send("def");
        answer_ok(peer);
    }};
    auto client = client_of(server);
    HttpControl control{.limits = no_hurry, .pool = "ada", .linger = 1h};
    control.on_body = [&](std::string_view) {
        stopped.set_value();
        return false;
    };
    BOOST_TEST((perform(client, get(server.url("/")), control).failure() == HttpFailure::stopped));
    control.on_body = nullptr;
    BOOST_TEST(perform(client, get(server.url("/")), control).body == "ok");
    BOOST_TEST(server.connections() == 1);
}

BOOST_AUTO_TEST_CASE(an_answer_that_goes_on_after_its_reader_has_stopped_is_closed) {
    ScriptedServer server{says_and_waits(chunked + "3\r\nabc\r\n")};
    auto client = client_of(server);
    HttpControl control{.limits = no_hurry, .linger = 5ms};
    control.on_body = [](std::string_view) { return false; };
    BOOST_TEST((perform(client, get(server.url("/")), control).failure() == HttpFailure::stopped));
    server.finish();
}

BOOST_AUTO_TEST_CASE(what_a_callback_throws_comes_out_and_the_client_stays_usable) {
    ScriptedServer server{answer_ok};
    auto client = client_of(server);
    HttpControl from_head{.limits = no_hurry}, from_body = from_head, from_tick = from_head;
    from_head.on_head = [](const HttpHead&) { throw std::domain_error{"head"}; };
    BOOST_CHECK_THROW(client.perform(get(server.url("/")), from_head), std::domain_error);
    from_body.on_body = [](std::string_view) -> bool { throw std::length_error{"body"}; };
    BOOST_CHECK_THROW(client.perform(get(server.url("/")), from_body), std::length_error);
    ScriptedServer silent{says_and_waits("")};
    from_tick.tick = 1ms;
    from_tick.on_tick = [] { throw std::range_error{"tick"}; };
    BOOST_CHECK_THROW(perform_get(silent, from_tick), std::range_error);
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
}

BOOST_AUTO_TEST_CASE(unreadable_own_addresses_stop_the_start_with_a_sentence) {
    const Error seen{"UBSan needs descriptors when it first sees a type"};
    rlimit before{};
    BOOST_REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit none{0, before.rlim_max};
    BOOST_REQUIRE(::setrlimit(RLIMIT_NOFILE, &none) == 0); // so getifaddrs(3) gets no socket
    std::exception_ptr failure; // is looked at when UBSan has a descriptor again
    try {
        const EgressGuard guard{EgressPolicy{}};
    } catch (...) {
        failure = std::current_exception();
    }
    ::setrlimit(RLIMIT_NOFILE, &before);
    BOOST_REQUIRE(failure);
    BOOST_CHECK_EXCEPTION(std::rethrow_exception(failure), Error, [](const Error& error) {
        return std::string{error.what()}.starts_with("This machine's network addresses can't be");
    });
}
} // namespace
