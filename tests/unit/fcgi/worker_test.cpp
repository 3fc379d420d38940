// The worker as a process: where it listens, how it bears load, how it stops.
#include "tests/unit/fcgi/support.hpp"
#include <deque>
#include <netinet/in.h>
using namespace usershell::fcgi;
namespace fs = std::filesystem;
namespace {
std::unique_ptr<Client> asking(const Probe& probe, const std::string& uri) {
    auto client = std::make_unique<Client>(probe.socket());
    client->send(whole_request("GET", uri));
    return client;
}
using Clients = std::vector<std::unique_ptr<Client>>;
/// Clients whose requests hold a thread each, of one of these probes.
Clients holding(std::initializer_list<const Probe*> probes, int count) {
    const auto held = [&] {
        int all = 0;
        for (const Probe* probe : probes) all += probe->held();
        return all;
    };
    const int before = held();
    Clients clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(asking(**probes.begin(), "/hold"));
        while (held() < before + i + 1) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    return clients;
}
void check_served(const Clients& clients) {
    for (const auto& client : clients) {
        const Reply reply = client->read_reply();
        BOOST_TEST(reply.ended);
        BOOST_TEST((reply.body() == "released\n" || reply.body() == "hello "));
    }
}

BOOST_AUTO_TEST_CASE(a_socket_that_nobody_answers_on_is_replaced) {
    const test::TemporaryFolder folder;
    listen_at(folder.path() / "worker.sock").reset();
    Probe probe{folder, {}};
    probe.wait_notified("READY=1");
    BOOST_TEST(probe.ask().status() == 200);
    BOOST_TEST((fs::status(probe.socket()).permissions() == fs::perms{0660}));
}

BOOST_AUTO_TEST_CASE(an_unusable_listener_is_said) {
    const ReadyProbe other;
    const test::TemporaryFolder folder;
    const std::string file = folder.write("file", "precious");
    const Descriptor tcp{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    BOOST_REQUIRE_EQUAL(::bind(tcp.get(), plain, sizeof(address)), 0);
    BOOST_REQUIRE_EQUAL(::listen(tcp.get(), 1), 0);
    const std::pair<ProbeStart, std::string> rows[] = {
        {{.options = {"socket=" + other.socket()}}, "another process serves"},
        {{.options = {"socket=" + file}}, "is no socket"},
        {{.options = {"socket=/" + std::string(120, 'x')}}, "too long a path"},
        {{.options = {"socket="}}, "LISTEN_FDS"},
        {{.listener = tcp.get()}, "no listening Unix stream socket"},
    };
    for (const auto& [start, why] : rows) {
        Probe probe{folder, start};
        BOOST_TEST(probe.wait_end() == 1, why);
        BOOST_TEST(probe.logged(why), why);
    }
    BOOST_TEST(other.ask().status() == 200);
    BOOST_TEST(fs::file_size(file) == 8U);
}

BOOST_AUTO_TEST_CASE(two_processes_share_an_inherited_socket) {
    const test::TemporaryFolder folder;
    const test::TemporaryFolder other_folder;
    const Descriptor listener = listen_at(folder.path() / "worker.sock");
    const ProbeStart start{.options = {"threads=1", "wait=20000"}, .listener = listener.get()};
    Probe first{folder, start};
    Probe second{other_folder, start};
    first.wait_notified("READY=1");
    second.wait_notified("READY=1");
    const Clients clients = holding({&first, &second}, 2); // more than one of them can hold
    first.release(1);
    second.release(1);
    check_served(clients);
    first.signal(SIGTERM);
    BOOST_TEST(first.wait_end() == 0);
    BOOST_TEST(fs::exists(first.socket()));
    BOOST_TEST(first.ask().body() == "hello ");
}

BOOST_AUTO_TEST_CASE(the_watchdog_is_fed_to_the_end) {
    const test::TemporaryFolder folder;
    Probe probe{folder, {.environment = {"WATCHDOG_USEC=40000"}}};
    probe.wait_notified("READY=1");
    for (int i = 0; i < 5; ++i) probe.wait_notified("WATCHDOG=1");
    const Clients client = holding({&probe}, 1);
    probe.signal(SIGTERM);
    probe.wait_notified("STOPPING=1");
    for (int i = 0; i < 5; ++i) probe.wait_notified("WATCHDOG=1");
    probe.release(1);
    check_served(client);
    BOOST_TEST(probe.wait_end() == 0);
}

BOOST_AUTO_TEST_CASE(when_all_threads_are_busy_the_answer_is_503) {
    ReadyProbe probe{{"threads=2", "wait=10"}};
    const Clients clients = holding({&probe}, 2);
    const Reply refused = probe.ask(std::string(300'000, 'x'));
    BOOST_TEST(refused.ended);
    BOOST_TEST(refused.status() == 503);
    BOOST_TEST(refused.body() == "The service is busy. Try again in a moment.");
    probe.release(2);
    check_served(clients);
    // A thread is free a moment after its answer is out.
    int status = 503;
    while (status == 503) status = probe.ask().status();
    BOOST_TEST(status == 200);
}

BOOST_AUTO_TEST_CASE(a_thread_that_gets_free_in_time_serves_those_who_wait) {
    ReadyProbe probe{{"threads=1", "wait=20000"}};
    Clients clients = holding({&probe}, 1);
    for (int i = 0; i < 3; ++i) clients.push_back(asking(probe, "/"));
    probe.release(1);
    check_served(clients);
}

// The queue is never empty for longer than max_wait, and each waits for two turns only.
BOOST_AUTO_TEST_CASE(a_queue_that_moves_refuses_nobody) {
    ReadyProbe probe{{"threads=1", "wait=1500"}};
    std::deque<std::unique_ptr<Client>> queue;
    for (int i = 0; i < 3; ++i) queue.push_back(asking(probe, "/hold"));
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{2500};
    int refused = 0;
    while (std::chrono::steady_clock::now() < end) {
        queue.push_back(asking(probe, "/hold"));
        probe.release(1);
        refused += queue.front()->read_reply().body() != "released\n" ? 1 : 0;
        queue.pop_front();
    }
    BOOST_TEST(refused == 0);
    probe.release(queue.size());
    for (const auto& client : queue) BOOST_TEST(client->read_reply().body() == "released\n");
}

std::unique_ptr<Client> asking_in(const Probe& probe, const std::string& uri,
                                  const std::string& lane) {
    auto client = std::make_unique<Client>(probe.socket());
    client->send(whole_request("GET", uri, "", {{"HTTP_COOKIE", "lane=" + lane}}));
    return client;
}

BOOST_AUTO_TEST_CASE(a_lane_that_is_full_leaves_threads_to_others) {
    ReadyProbe probe{{"threads=4", "wait=20000", "lanes="}};
    Clients strangers;
    for (int i = 0; i < 12; ++i) strangers.push_back(asking_in(probe, "/hold", "strangers"));
    while (probe.held() < 2) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    for (int i = 0; i < 5; ++i)
        BOOST_TEST(asking_in(probe, "/", "ada")->read_reply().body() == "hello ");
    BOOST_TEST(probe.held() == 2);
    probe.release(12);
    check_served(strangers);
}

BOOST_AUTO_TEST_CASE(who_waits_too_long_for_a_full_lane_is_refused_while_its_threads_are_held) {
    ReadyProbe probe{{"threads=4", "wait=10", "lanes="}};
    Clients strangers;
    for (int i = 0; i < 2; ++i) {
        strangers.push_back(asking_in(probe, "/hold", "strangers"));
        while (probe.held() < i + 1) std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    BOOST_TEST(asking_in(probe, "/", "strangers")->read_reply().status() == 503);
    BOOST_TEST(asking_in(probe, "/", "ada")->read_reply().status() == 200);
    probe.release(2);
    check_served(strangers);
}

BOOST_AUTO_TEST_CASE(a_peer_that_stalls_frees_its_thread) {
    ReadyProbe probe{{"threads=1", "wait=20000", "receive=50", "send=50"}};
    Client silent{probe.socket()};
    BOOST_TEST(probe.ask().status() == 200);
    BOOST_TEST(silent.read_reply().output.empty());
    BOOST_TEST(probe.logged("did not arrive in time"));
    const auto deaf = asking(probe, "/flood");
    deaf->read_until("x");
    BOOST_TEST(probe.ask().status() == 200);
    BOOST_TEST(probe.logged("client stalled"));
}

BOOST_AUTO_TEST_CASE(running_out_of_descriptors_passes) {
    ReadyProbe probe{{"threads=64", "files=24", "receive=300"}};
    // UBSan needs a descriptor for its first look at each class: have it look now.
    BOOST_TEST(Client{probe.socket()}.read_reply().output.empty());
    BOOST_TEST(probe.ask().status() == 200);
    Clients silent;
    for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<Client>(probe.socket()));
    for (const auto& client : silent) BOOST_TEST(client->read_reply().output.empty());
    BOOST_TEST(probe.logged("can't accept"));
    BOOST_TEST(probe.ask().status() == 200);
}

BOOST_AUTO_TEST_CASE(an_idle_worker_ends_at_once_and_leaves_nothing) {
    for (const int number : {SIGTERM, SIGINT}) {
        ReadyProbe probe;
        BOOST_TEST(probe.ask().status() == 200);
        probe.signal(number);
        probe.wait_notified("STOPPING=1");
        BOOST_TEST(probe.wait_end() == 0); // with a sanitizer: nothing has leaked
        BOOST_TEST(!fs::exists(probe.socket()));
        BOOST_TEST(probe.logged("worker stopped"));
    }
}

BOOST_AUTO_TEST_CASE(what_is_under_way_ends_whole) {
    for (const auto* const uri : {"/hold", "/stream"}) {
        ReadyProbe probe{{"threads=1", "wait=20000"}};
        const auto client = asking(probe, uri);
        for (const int number : {SIGHUP, SIGUSR1, SIGPIPE, SIGQUIT}) probe.signal(number);
        while (probe.held() == 0 && uri == std::string{"/hold"}) std::this_thread::yield();
        if (uri == std::string{"/stream"}) {
            client->read_until("held\n");
            BOOST_TEST(probe.ask().body() == "hello "); // by the one thread
        }
        probe.signal(SIGTERM);
        probe.wait_notified("STOPPING=1");
        probe.signal(SIGTERM);
        probe.signal(SIGINT);
        probe.release(1);
        const Reply reply = client->read_reply();
        BOOST_TEST(reply.ended);
        BOOST_TEST(reply.body().ends_with("released\n"));
        BOOST_TEST(probe.wait_end() == 0);
    }
}

BOOST_AUTO_TEST_CASE(what_waits_at_an_inherited_socket_is_the_next_process_s) {
    const test::TemporaryFolder folder;
    const Descriptor listener = listen_at(folder.path() / "worker.sock");
    Probe old{folder, {.listener = listener.get()}};
    old.wait_notified("READY=1");
    const Clients busy = holding({&old}, 1);
    old.signal(SIGTERM);
    old.wait_notified("STOPPING=1");
    const auto late = asking(old, "/");
    old.release(1);
    check_served(busy);
    BOOST_TEST(old.wait_end() == 0);
    const test::TemporaryFolder other_folder;
    const Probe next{other_folder, {.listener = listener.get()}};
    BOOST_TEST(late->read_reply().body() == "hello ");
}

BOOST_AUTO_TEST_CASE(what_waits_at_an_own_socket_is_still_served) {
    ReadyProbe probe{{"threads=4"}};
    // Stopped, it can't accept; both signals are seen when it goes on.
    probe.signal(SIGSTOP);
    Clients clients;
    for (int i = 0; i < 2; ++i) clients.push_back(asking(probe, "/"));
    probe.signal(SIGTERM);
    probe.signal(SIGCONT);
    check_served(clients);
    BOOST_TEST(probe.wait_end() == 0);
}
} // namespace
