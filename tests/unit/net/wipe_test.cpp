// After a call, no copy of the key is left in the memory that libcurl used.
#include "tests/unit/freed_memory.hpp"
#include "tests/unit/net/support.hpp"
#include "tests/unit/test.hpp"
using namespace usershell::net;

BOOST_AUTO_TEST_CASE(
    no_copy_of_a_key_stays_in_memory,
    *unless_thread_sanitized("their heap lies in mappings too large to be searched")) {
    const HiddenSecret secret;
    std::array<char, 60> plain{}; // on the stack, which is not searched
    for (std::size_t i = 0; i < secret.size(); ++i) plain.at(i) = secret.at(i);
    const std::string_view key{plain.data(), secret.size()};
    // The server is in this process: it answers without reading the request.
    std::promise<void> head_came;
    std::promise<void> searched;
    std::string while_under_way;
    ScriptedServer server{[&](Connection& peer) {
        peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n");
        head_came.get_future().wait();
        while_under_way = place_in_memory(secret, plain.data());
        peer.send("ok");
        searched.get_future().wait();
    }};
    auto client = client_of(server);
    HttpRequest request = post(server.url("/"), "{}");
    request.key = KeyHeader{"Authorization", "Bearer ", key};
    const KeyHeader own{"x-tenant", "", key};
    HttpControl control{.limits = no_hurry, .own_headers = {&own, 1}};
    control.on_head = [&](const HttpHead&) { head_came.set_value(); };
    BOOST_TEST((client.perform(request, control).failure == HttpFailure::none));
    BOOST_TEST(while_under_way != ""); // a copy would be found
    BOOST_TEST(place_in_memory(secret, plain.data()) == "");
    searched.set_value();
}
