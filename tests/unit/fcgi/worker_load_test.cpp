// Too many, too slow, too long: threads and descriptors under pressure.
#include "probe_process.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace usershell;
using namespace usershell::fcgi;
using namespace std::chrono_literals;

namespace {

std::size_t thread_count(pid_t pid) {
    const std::filesystem::directory_iterator tasks{"/proc/" + std::to_string(pid) + "/task"};
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

/// Clients whose requests hold a thread each.
std::vector<std::unique_ptr<Client>> hold_threads(Probe& probe, int count) {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < count; ++i) {
        clients.push_back(std::make_unique<Client>(probe.socket()));
        clients.back()->send(whole_request("GET", "/hold"));
        BOOST_TEST(probe.next_report() == "held");
    }
    return clients;
}

} // namespace

BOOST_AUTO_TEST_SUITE(worker_load)

BOOST_AUTO_TEST_CASE(when_all_threads_are_busy_the_answer_is_503) {
    ReadyProbe probe{{"threads=2", "patience=10"}};
    const auto clients = hold_threads(probe, 2);
    for (int i = 0; i < 5; ++i) {
        const Reply refused = probe.ask("POST", "/plain", std::string(300'000, 'x'));
        BOOST_TEST(refused.ended);
        BOOST_TEST(refused.status() == 503);
        BOOST_TEST(refused.header("Retry-After") == "1");
        BOOST_TEST(refused.header("Content-Type") == "application/json; charset=utf-8");
        BOOST_TEST(refused.body().find("\"code\":\"unavailable\"") != std::string::npos);
        BOOST_TEST(refused.body().find(refused.header("X-Request-Id")) != std::string::npos);
    }
    const Reply page = probe.ask("GET", "/plain", {}, {{"HTTP_ACCEPT", "text/html"}});
    BOOST_TEST(page.status() == 503);
    BOOST_TEST(page.header("Content-Type") == "text/html; charset=utf-8");
    BOOST_TEST(probe.log().find("every thread is busy") != std::string::npos);
    probe.release(2);
    for (const auto& client : clients) BOOST_TEST(client->read_reply().body() == "released");
    // A thread says that it is free a moment after its answer is out.
    for (int status = 503; status == 503;) {
        const Reply reply = probe.ask("GET", "/plain");
        status = reply.status();
        BOOST_TEST((status == 200 || status == 503));
    }
}

BOOST_AUTO_TEST_CASE(a_thread_that_gets_free_in_time_serves_those_who_wait) {
    ReadyProbe probe{{"threads=1", "patience=20000"}};
    const auto clients = hold_threads(probe, 1);
    std::vector<std::unique_ptr<Client>> waiting;
    for (int i = 0; i < 3; ++i) {
        waiting.push_back(std::make_unique<Client>(probe.socket()));
        waiting.back()->send(whole_request("GET", "/plain"));
    }
    probe.release(1);
    for (const auto& client : waiting) BOOST_TEST(client->read_reply().status() == 200);
}

BOOST_AUTO_TEST_CASE(a_silent_peer_frees_its_thread) {
    ReadyProbe probe{{"threads=1", "patience=20000", "receive=50"}};
    Client silent{probe.socket()};
    Client hesitant{probe.socket()};
    hesitant.send(begin_record());
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    BOOST_TEST(silent.read_reply().output.empty());
    BOOST_TEST(hesitant.read_reply().output.empty());
    BOOST_TEST(probe.log().find("did not arrive in time") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(threads_without_work_leave) {
    ReadyProbe probe{{"threads=6", "idle=20"}};
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    const std::size_t before = thread_count(probe.pid());
    const auto clients = hold_threads(probe, 6);
    BOOST_TEST(thread_count(probe.pid()) == before + 5);
    probe.release(6);
    for (const auto& client : clients) BOOST_TEST(client->read_reply().ended);
    const auto deadline = std::chrono::steady_clock::now() + 20s;
    while (thread_count(probe.pid()) > before && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(5ms);
    BOOST_TEST(thread_count(probe.pid()) == before);
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
}

BOOST_AUTO_TEST_CASE(running_out_of_descriptors_passes) {
    ReadyProbe probe{{"threads=64", "files=24", "receive=300"}};
    // UBSan needs a descriptor for its first look at each class: have it look now.
    BOOST_TEST(Client{probe.socket()}.read_reply().output.empty());
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    std::vector<std::unique_ptr<Client>> silent;
    silent.reserve(40);
    for (int i = 0; i < 40; ++i) silent.push_back(std::make_unique<Client>(probe.socket()));
    for (const auto& client : silent) BOOST_TEST(client->read_reply().output.empty());
    BOOST_TEST(probe.log().find("can't accept") != std::string::npos);
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
}

BOOST_AUTO_TEST_CASE(many_clients_at_once) {
    ReadyProbe probe{{"threads=8", "patience=20000"}};
    for (int round = 0; round < 5; ++round) {
        std::vector<std::unique_ptr<Client>> clients;
        for (int i = 0; i < 40; ++i) {
            clients.push_back(std::make_unique<Client>(probe.socket()));
            clients.back()->send(whole_request("POST", "/echo", std::to_string(i)));
        }
        for (int i = 0; i < 40; ++i) {
            const Reply reply = clients[static_cast<std::size_t>(i)]->read_reply();
            BOOST_TEST(reply.ended);
            BOOST_TEST(reply.body().ends_with("\n\n" + std::to_string(i)));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
