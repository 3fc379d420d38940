// The opener's socket: what becomes of connections that are no question's, and of questions while
// the opener ends. And how usershell-execute asks: once more, and never for long.
#include "opener/server.hpp"
#include "opener/wire/client.hpp"
#include "opener/wire/transfer.hpp"
#include "tests/unit/pipeline/support.hpp"
#include "tests/unit/test.hpp"

#include <cstring>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
using namespace usershell::opener;
namespace {
const std::string drawn = "5f6f1c0e-0000-4000-8000-000000000001";
const Question question{store::CallStatement::next_key, {drawn, drawn, drawn, std::nullopt, "f"}};
WipedString answer_named(const std::string& name) {
    return encoded(store::Texts{{"name"}, {{name}}},
                   [](const auto&, const auto&) { return OpenedKey{}; });
}
WipedString good(const Question&) { return answer_named("first"); }
auto soon() { return std::chrono::steady_clock::now() + 30s; }
/// A message as it is on the wire.
std::string framed(std::string_view message) {
    std::string size(8, '\0');
    size[6] = static_cast<char>(message.size() >> 8);
    size[7] = static_cast<char>(message.size() & 0xff);
    return size.append(message);
}
void send_bytes(const Descriptor& socket, const std::string& bytes) {
    BOOST_REQUIRE(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
                  static_cast<ssize_t>(bytes.size()));
}
struct Socket {
    std::string path() const { return folder.path() / "opener.sock"; }
    std::unique_ptr<Server> serve(Handler handler = good, ServerLimits limits = {30s, 30s},
                                  std::size_t threads = 2) const {
        return std::make_unique<Server>(Listener::bound(path()), threads, std::move(handler),
                                        limits);
    }
    Descriptor connect() const { return connect_to(path()); }
    TemporaryFolder folder;
    CapturedLog log{};
};
std::string outcome(Asker& client) {
    try {
        const Answer answer = client.ask(question);
        return answer.empty() ? "no right" : answer.front().get<std::string>("name");
    } catch (const Refusal& refusal) {
        return std::string{name_of(refusal.code())} + " " +
               std::to_string(refusal.retry_after().value_or(0s).count());
    } catch (const Error&) {
        return "error";
    }
}
std::string outcome(const Socket& socket, std::chrono::milliseconds limit = 30s) {
    Client client{socket.path(), limit};
    return outcome(client);
}
} // namespace

BOOST_AUTO_TEST_CASE(questions_are_answered) {
    Socket socket;
    std::atomic<int> asked = 0;
    const auto server = socket.serve([&](const Question& got) {
        if (got.values == question.values) ++asked;
        return good(got);
    });
    Client client{socket.path(), 30s};
    for (int i = 0; i < 3; ++i) BOOST_TEST(outcome(client) == "first");
    BOOST_TEST(asked == 3);
}

BOOST_AUTO_TEST_CASE(a_long_answer_comes_whole) {
    Socket socket;
    const std::string name(max_answer / 2, 'k');
    const auto server = socket.serve([&](const Question&) { return answer_named(name); });
    BOOST_TEST((outcome(socket) == name));
}

BOOST_AUTO_TEST_CASE(what_the_handler_throws_is_told_as_trouble) {
    Socket socket;
    const std::pair<std::function<WipedString()>, const char*> table[] = {
        {[] {
             return encoded(store::Texts{{"name"}, {}},
                            [](const auto&, const auto&) { return OpenedKey{}; });
         },
         "no right"},
        {[]() -> WipedString { throw service_is_busy(); }, "unavailable 1"},
        {[]() -> WipedString { throw invalid("model", "No."_en); }, "error"},
        {[]() -> WipedString { throw Error{"no"}; }, "error"},
        {[]() -> WipedString { throw std::bad_alloc{}; }, "error"},
    };
    for (const auto& [handle, expected] : table) {
        const auto server = socket.serve([run = handle](const Question&) { return run(); });
        BOOST_TEST(outcome(socket) == expected);
    }
}

BOOST_AUTO_TEST_CASE(what_is_no_question_is_not_answered) {
    Socket socket;
    const auto server = socket.serve();
    const std::string bytes{std::string_view{encoded(question)}};
    for (const std::string& sent :
         {std::string{}, std::string{"x"}, bytes.substr(0, bytes.size() - 1), bytes + "x",
          std::string(max_question + 1, '\0'), std::string(100'000, 'x')}) {
        const Descriptor own = socket.connect();
        send_message(own.get(), sent, soon());
        BOOST_TEST(!receive_message(own.get(), max_answer, soon()), sent.size());
    }
    for (const std::string& sent :
         {std::string{}, framed("").substr(1), framed(bytes).substr(0, 20), std::string(8, '\xff'),
          framed(bytes).substr(1)}) {
        const Descriptor own = socket.connect();
        send_bytes(own, sent);
        ::shutdown(own.get(), SHUT_WR);
        BOOST_TEST(!receive_message(own.get(), max_answer, soon()), sent.size());
    }
    BOOST_TEST(outcome(socket) == "first");
}

BOOST_AUTO_TEST_CASE(a_descriptor_that_comes_along_is_closed) {
    Socket socket;
    const auto server = socket.serve();
    const Descriptor own = socket.connect();
    int pipes[2];
    BOOST_REQUIRE(::pipe(pipes) == 0);
    Descriptor reading{pipes[0]}, writing{pipes[1]};
    char first = 'x';
    iovec part{&first, 1};
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
    ::shutdown(own.get(), SHUT_WR);
    BOOST_TEST(!receive_message(own.get(), max_answer, soon()));
    writing.reset(); // the last one, if the server kept none: then the pipe ends
    char byte = 0;
    BOOST_TEST(::read(reading.get(), &byte, 1) == 0);
}

// With one thread, each of them would keep the next one out.
BOOST_AUTO_TEST_CASE(who_sends_nothing_or_reads_nothing_is_left) {
    Socket socket;
    const std::string large(max_answer / 2, 'k');
    const auto server = socket.serve(
        [&](const Question& got) {
            return got.values == question.values ? good(got) : answer_named(large);
        },
        {1s, 100ms}, 1);
    const Descriptor silent = socket.connect(), deaf = socket.connect(), slow = socket.connect();
    Question other = question;
    other.values.back() = "t";
    send_message(deaf.get(), encoded(other), soon());
    BOOST_REQUIRE(::send(slow.get(), "x", 1, MSG_NOSIGNAL) == 1);
    BOOST_TEST(outcome(socket) == "first");
}

BOOST_AUTO_TEST_CASE(a_question_under_way_is_answered_while_the_opener_ends) {
    Socket socket;
    std::promise<void> asked, go;
    auto server = socket.serve([&](const Question& got) {
        asked.set_value();
        go.get_future().wait();
        return good(got);
    });
    auto answer = std::async(std::launch::async, [&] { return outcome(socket); });
    asked.get_future().wait();
    auto ended = std::async(std::launch::async, [&] { server.reset(); });
    go.set_value();
    BOOST_TEST(answer.get() == "first");
    ended.get();
}

BOOST_AUTO_TEST_CASE(after_a_restart_the_new_opener_is_asked) {
    Socket socket;
    auto server = socket.serve();
    Client client{socket.path(), 30s};
    BOOST_TEST(outcome(client) == "first");
    server.reset();
    BOOST_TEST(outcome(client) == "unavailable 1");
    server = socket.serve([](const Question&) { return answer_named("second"); });
    BOOST_TEST(outcome(client) == "second");
}

// As of one that is killed: the next one finds the question in the socket's backlog.
BOOST_AUTO_TEST_CASE(an_opener_that_ends_before_its_answer_is_asked_once_more) {
    Socket socket;
    const Listener listener = Listener::bound(socket.path());
    const auto take = [&] {
        pollfd watched{listener.fd(), POLLIN, 0};
        ::poll(&watched, 1, 30'000);
        return Descriptor{::accept(listener.fd(), nullptr, nullptr)};
    };
    const std::string whole = framed(answer_named("first"));
    for (const std::size_t sent : {std::size_t{0}, std::size_t{5}, whole.size() - 1}) {
        auto answer = std::async(std::launch::async, [&] { return outcome(socket); });
        {
            const Descriptor first = take();
            receive_message(first.get(), max_question, soon());
            send_bytes(first, whole.substr(0, sent));
        }
        const Descriptor second = take();
        const auto again = receive_message(second.get(), max_question, soon());
        BOOST_TEST((again && read_question(*again).values == question.values));
        send_bytes(second, whole);
        BOOST_TEST(answer.get() == "first");
    }
}

BOOST_AUTO_TEST_CASE(no_thread_waits_longer_than_the_limit) {
    Socket socket;
    std::promise<void> go;
    const auto waits = go.get_future().share();
    const auto server = socket.serve([&](const Question& got) {
        waits.wait();
        return good(got);
    });
    BOOST_TEST(outcome(socket, 50ms) == "unavailable 1"); // it would wait for ever otherwise
    go.set_value();
}
