// What the tests of HttpClient share. Limits that must not matter in a test are an hour; a call
// that wrongly waits fails by ctest's time-out.
#pragma once

#include "net/http_client.hpp"
#include "tests/unit/net/scripted_server.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

BOOST_TEST_DONT_PRINT_LOG_VALUE(usershell::net::HttpFailure)

namespace usershell::test {

using namespace std::chrono_literals;

inline constexpr net::HttpLimits no_hurry{
    .connect = 1h, .first_byte = 1h, .silence = 1h, .total = 1h};

inline net::HttpRequest get(std::string url) {
    return {.method = "GET", .url = std::move(url), .headers = {}, .key = {}, .body = {}};
}

inline net::HttpRequest post(std::string url, std::string body) {
    return {
        .method = "POST", .url = std::move(url), .headers = {}, .key = {}, .body = std::move(body)};
}

/// A client that may call that server and nobody else on this machine.
inline net::HttpClient client_of(const ScriptedServer& server) {
    return {EgressPolicy{{server.authority()}}, {}};
}

/// What a call gave, body and all.
struct Answer {
    net::HttpResult result;
    std::string body;

    net::HttpFailure failure() const { return result.failure; }
};

inline Answer perform(net::HttpClient& client, const net::HttpRequest& request,
                      net::HttpControl control = {.limits = no_hurry}) {
    Answer answer;
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
