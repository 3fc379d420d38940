// Helpers of the tests of HttpClient. Limits that must not matter in a test are an hour.
#pragma once
#include "net/http_client.hpp"
#include "tests/unit/net/scripted_server.hpp"
#include "tests/unit/run_on.hpp"
BOOST_TEST_DONT_PRINT_LOG_VALUE(usershell::net::HttpFailure)
namespace usershell::test {
inline constexpr net::HttpLimits no_hurry{.connect = 1h, .silence = 1h, .total = 1h};
inline net::HttpRequest get(std::string url) {
    return {.method = "GET", .url = std::move(url), .headers = {}, .key = {}, .body = {}};
}
inline net::HttpRequest post(std::string url, std::string body) {
    return {
        .method = "POST", .url = std::move(url), .headers = {}, .key = {}, .body = std::move(body)};
}
/// A client on an event loop of its own, which runs while a call does.
struct Client {
    explicit Client(EgressPolicy policy, std::string ca_file = {})
        : http{loop, std::move(policy), std::move(ca_file)} {}
    net::HttpResult perform(const net::HttpRequest& request, const net::HttpControl& control) {
        return run_on(loop, http.perform(request, control));
    }
    Loop loop;
    net::HttpClient http;
};
/// A client that may call that server, and no other on this machine.
inline Client client_of(const ScriptedServer& server) {
    return Client{EgressPolicy{{server.authority()}}};
}
/// The result of a call, with the body unless the caller took it.
struct Answer {
    net::HttpResult result;
    std::string body;
    net::HttpFailure failure() const { return result.failure; }
};
inline Answer perform(Client& client, const net::HttpRequest& request,
                      net::HttpControl control = {.limits = no_hurry}) {
    Answer answer;
    if (!control.on_body)
        control.on_body = [&answer](std::string_view piece) {
            answer.body += piece;
            return true;
        };
    answer.result = client.perform(request, control);
    return answer;
}
inline Answer perform_get(const ScriptedServer& server,
                          const net::HttpControl& control = {.limits = no_hurry}) {
    auto client = client_of(server);
    return perform(client, get(server.url("/")), control);
}
/// Answers every request of a connection with "ok".
inline void answer_ok(Connection& peer) {
    while (!peer.request().head.empty()) peer.answer(200, "text/plain", "ok");
}
} // namespace usershell::test
