// The opener's socket: what ends a connection, and what becomes of requests while the
// opener ends. And how usershell-execute asks: again on a new connection, and never for long.
#include "opener/server.hpp"
#include "opener/wire/client.hpp"
#include "opener/wire/packets.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/test.hpp"

#include <cstring>
#include <poll.h>
using namespace usershell::opener;
namespace {
const auto asking = *UserId::parse("5f6f1c0e-0000-4000-8000-000000000001");
const NextKey next{{asking, "5f6f1c0e-0000-4000-8000-000000000004"},
                   *ProviderId::parse("5f6f1c0e-0000-4000-8000-000000000002")};
Answer key_named(const Request&, const std::string& name = "sk-1") {
    FoundKey found{.type = "openai", .base_url = "https://a.example"};
    found.key = {crypto::Secret{name}, std::string(32, 'd')};
    return std::optional{std::move(found)};
}
std::string plain_of(const std::optional<FoundKey>& found) {
    return std::string{std::get<crypto::Secret>(found.value().key.value().key).reveal()};
}
/// Fails the test after a minute.
void wait_until(const std::function<bool()>& is_met) {
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!is_met()) {
        if (std::chrono::steady_clock::now() > end) throw std::runtime_error{"Waited in vain."};
        std::this_thread::sleep_for(1ms);
    }
}
struct Socket {
    std::string path() const { return folder.path() / "opener.sock"; }
    std::unique_ptr<Server> serve(Handler handler, ServerLimits limits = {}) const {
        return std::make_unique<Server>(Listener::bound(path(), Transport::packets),
                                        std::move(handler), limits);
    }
    Descriptor connect() const { return connect_to(path(), Transport::packets); }
    TemporaryFolder folder;
    CapturedLog log{};
};
std::string good_request() { return std::string{std::string_view{encoded(Request{next})}}; }
bool is_answered(const Descriptor& socket) {
    WipedString answer;
    return receive_answer(socket.get(), answer, std::chrono::steady_clock::now() + 30s);
}
bool is_ended(const Descriptor& socket) {
    pollfd watched{socket.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&watched, 1, 30'000) == 1 && ::recv(socket.get(), &byte, 1, 0) <= 0;
}
std::string outcome(Client& client) {
    try {
        const auto found = client.next_key(next);
        return found ? plain_of(found) : "no right";
    } catch (const Refusal& refusal) {
        return std::string{name_of(refusal.code())} + " " +
               std::to_string(refusal.retry_after().value_or(0s).count());
    } catch (const Error&) {
        return "error";
    }
}
} // namespace

BOOST_AUTO_TEST_CASE(a_request_is_answered_and_the_connection_stays) {
    Socket socket;
    std::atomic<int> asked = 0;
    const auto server = socket.serve([&](const Request& request) {
        ++asked;
        return key_named(request);
    });
    Client client{socket.path(), 4, 30s};
    for (int i = 0; i < 3; ++i) BOOST_TEST(outcome(client) == "sk-1");
    BOOST_TEST(asked == 3);
    BOOST_TEST(server->connections() == 1U);
}

BOOST_AUTO_TEST_CASE(a_long_answer_comes_in_several_packets) {
    Socket socket;
    const std::string name(16'000, 'k');
    const auto server = socket.serve([&](const Request& request) {
        Answer answer = key_named(request);
        auto& found = *std::get<std::optional<FoundKey>>(answer);
        for (int i = 0; i < 20; ++i) found.headers.push_back({"x", crypto::Secret{name}});
        return answer;
    });
    Client client{socket.path(), 1, 30s};
    const auto found = client.next_key(next);
    BOOST_REQUIRE((found && found->headers.size() == 20U));
    for (const OpenedHeader& header : found->headers)
        BOOST_TEST((std::get<crypto::Secret>(header.value).reveal() == name));
}

BOOST_AUTO_TEST_CASE(what_the_handler_throws_is_told_as_trouble) {
    Socket socket;
    const std::pair<std::function<Answer()>, const char*> table[] = {
        {[]() -> Answer { return std::optional<FoundKey>{}; }, "no right"},
        {[]() -> Answer { throw service_is_busy(); }, "unavailable 1"},
        {[]() -> Answer { throw invalid("model", "No."_en); }, "error"},
        {[]() -> Answer { throw Error{"no"}; }, "error"},
        {[]() -> Answer { throw std::bad_alloc{}; }, "error"},
        {[]() -> Answer { return std::optional<LoadedProvider>{}; },
         "error"}, // to no such question
    };
    for (const auto& [handle, expected] : table) {
        const auto server = socket.serve([run = handle](const Request&) { return run(); });
        Client client{socket.path(), 1, 30s};
        BOOST_TEST(outcome(client) == expected);
    }
    BOOST_TEST(!has(socket.log.text(), "sk-"));
}

BOOST_AUTO_TEST_CASE(what_is_no_request_ends_its_connection_alone) {
    Socket socket;
    const auto server = socket.serve([](const Request& request) { return key_named(request); });
    const Descriptor other = socket.connect();
    const std::string good = good_request();
    for (const std::string& bytes :
         {std::string{"x"}, good.substr(0, good.size() - 1), good + "x",
          std::string(max_request + 1, '\0'), std::string(100'000, 'x')}) {
        const Descriptor own = socket.connect();
        BOOST_TEST(send_request(own.get(), bytes));
        BOOST_TEST(is_ended(own), bytes.size());
    }
    BOOST_TEST(send_request(other.get(), good));
    BOOST_TEST(is_answered(other));
}

BOOST_AUTO_TEST_CASE(a_descriptor_that_comes_along_is_closed_and_ends_the_connection) {
    Socket socket;
    const auto server = socket.serve([](const Request& request) { return key_named(request); });
    const Descriptor own = socket.connect();
    int pipes[2];
    BOOST_REQUIRE(::pipe(pipes) == 0);
    Descriptor reading{pipes[0]}, writing{pipes[1]};
    std::string bytes = good_request();
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    const int given = writing.get();
    std::memcpy(CMSG_DATA(header), &given, sizeof(given));
    BOOST_REQUIRE(::sendmsg(own.get(), &message, MSG_NOSIGNAL) > 0);
    BOOST_TEST(is_ended(own));
    writing.reset(); // the last one, if the server kept none: then the pipe ends
    char byte = 0;
    BOOST_TEST(::read(reading.get(), &byte, 1) == 0);
}

BOOST_AUTO_TEST_CASE(no_more_connections_are_served_than_there_may_be) {
    Socket socket;
    const auto server =
        socket.serve([](const Request& request) { return key_named(request); }, {.connections = 2});
    std::vector<Descriptor> served;
    for (int i = 0; i < 2; ++i) {
        served.push_back(socket.connect());
        send_request(served.back().get(), good_request());
        BOOST_TEST(is_answered(served.back()));
    }
    {
        const Descriptor third = socket.connect();
        BOOST_TEST(is_ended(third));
    }
    served.pop_back();
    Client client{socket.path(), 1, 30s};
    wait_until([&] { return outcome(client) == "sk-1"; });
}

BOOST_AUTO_TEST_CASE(who_says_nothing_or_reads_nothing_is_shut_out) {
    Socket socket;
    const auto server = socket.serve(
        [](const Request& request) {
            Answer answer = key_named(request);
            auto& found = *std::get<std::optional<FoundKey>>(answer);
            for (int i = 0; i < 200; ++i)
                found.headers.push_back({"x", crypto::Secret{std::string(16'000, 'k')}});
            return answer;
        },
        {.silence = 1s, .unread = 1s});
    const Descriptor silent = socket.connect();
    BOOST_TEST(is_ended(silent));
    const Descriptor unread = socket.connect();
    send_request(unread.get(), good_request());
    wait_until([&] { return server->connections() == 0U; });
}

BOOST_AUTO_TEST_CASE(a_request_under_way_is_answered_while_the_opener_ends) {
    Socket socket;
    std::promise<void> asked, go;
    auto server = socket.serve([&](const Request& request) {
        asked.set_value();
        go.get_future().wait();
        return key_named(request);
    });
    Client client{socket.path(), 1, 30s};
    auto answer = std::async(std::launch::async, [&] { return outcome(client); });
    asked.get_future().wait();
    auto ended = std::async(std::launch::async, [&] { server.reset(); });
    go.set_value();
    BOOST_TEST(answer.get() == "sk-1");
    ended.get();
}

BOOST_AUTO_TEST_CASE(after_a_restart_the_next_request_finds_the_new_opener) {
    Socket socket;
    auto server = socket.serve([](const Request& request) { return key_named(request); });
    Client client{socket.path(), 2, 30s};
    BOOST_TEST(outcome(client) == "sk-1");
    server.reset();
    BOOST_TEST(outcome(client) == "unavailable 1");
    server = socket.serve([](const Request& request) { return key_named(request, "sk-2"); });
    BOOST_TEST(outcome(client) == "sk-2");
}

BOOST_AUTO_TEST_CASE(no_thread_waits_longer_than_the_limit) {
    Socket socket;
    std::promise<void> go;
    const auto waits = go.get_future().share();
    const auto server = socket.serve([&](const Request& request) {
        waits.wait();
        return key_named(request);
    });
    Client client{socket.path(), 1, 50ms};
    auto first = std::async(std::launch::async, [&] { return outcome(client); });
    auto second = std::async(std::launch::async, [&] { return outcome(client); });
    BOOST_TEST(first.get() == "unavailable 1");
    BOOST_TEST(second.get() == "unavailable 1");
    go.set_value();
}
