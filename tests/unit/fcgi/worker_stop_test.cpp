// SIGTERM: what is under way ends whole, what has not begun is the next process's.
#include "probe_process.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <string>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

const std::string greeting_of_another_protocol = "GET / HTTP/1.1\r\n\r\n";

} // namespace

BOOST_AUTO_TEST_SUITE(worker_stop)

BOOST_AUTO_TEST_CASE(an_idle_worker_ends_at_once) {
    for (const int number : {SIGTERM, SIGINT}) {
        ReadyProbe probe;
        BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
        probe.signal(number);
        probe.wait_notified("STOPPING=1");
        BOOST_TEST(probe.wait_end() == 0);
        BOOST_TEST(!std::filesystem::exists(probe.socket()));
        BOOST_TEST(probe.log().find("worker stopped") != std::string::npos);
    }
}

BOOST_AUTO_TEST_CASE(a_stream_ends_whole) {
    ReadyProbe probe{{"threads=2"}};
    Client client{probe.socket()};
    client.send(whole_request("GET", "/hold-stream"));
    client.read_until("first\n");
    BOOST_TEST(probe.next_report() == "held");
    probe.signal(SIGTERM);
    probe.wait_notified("STOPPING=1");
    probe.signal(SIGTERM);
    probe.signal(SIGINT);
    probe.release(1);
    const Reply reply = client.read_reply();
    BOOST_TEST(reply.ended);
    BOOST_TEST(reply.body() == "first\nlast\n");
    BOOST_TEST(probe.wait_end() == 0);
}

BOOST_AUTO_TEST_CASE(what_waits_at_an_inherited_socket_is_the_next_process_s) {
    const ProbeFolder folder;
    const Descriptor listener = listen_at(folder.file("worker.sock"));
    Probe old{folder, {{}, listener.get(), {}}};
    old.wait_notified("READY=1");
    Client busy{old.socket()};
    busy.send(whole_request("GET", "/hold"));
    BOOST_TEST(old.next_report() == "held");
    old.signal(SIGTERM);
    old.wait_notified("STOPPING=1");
    Client late{old.socket()};
    late.send(whole_request("GET", "/plain"));
    old.release(1);
    BOOST_TEST(busy.read_reply().body() == "released");
    BOOST_TEST(old.wait_end() == 0);
    const ProbeFolder other_folder;
    Probe next{other_folder, {{}, listener.get(), {}}};
    BOOST_TEST(late.read_reply().body() == "hello");
}

BOOST_AUTO_TEST_CASE(what_waits_at_an_own_socket_is_still_served) {
    ReadyProbe probe{{"threads=4"}};
    // Stopped, it can't accept; both signals are seen when it goes on.
    probe.signal(SIGSTOP);
    Client first{probe.socket()};
    Client second{probe.socket()};
    first.send(whole_request("GET", "/plain"));
    second.send(whole_request("GET", "/plain"));
    probe.signal(SIGTERM);
    probe.signal(SIGCONT);
    BOOST_TEST(first.read_reply().body() == "hello");
    BOOST_TEST(second.read_reply().body() == "hello");
    BOOST_TEST(probe.wait_end() == 0);
}

/// A sanitizer's leak check makes the exit status what it should be or not.
BOOST_AUTO_TEST_CASE(nothing_is_left_behind) {
    ReadyProbe probe;
    for (const std::string path :
         {"/plain", "/empty", "/large", "/echo", "/frames", "/nothing", "/throw", "/bad-header",
          "/bad-stream", "/broken-stream", "/missing"})
        BOOST_TEST(!probe.ask("POST", path, "body").output.empty());
    Client client{probe.socket()};
    client.send(begin_record() + greeting_of_another_protocol);
    BOOST_TEST(client.read_reply().output.empty());
    probe.signal(SIGTERM);
    BOOST_TEST(probe.wait_end() == 0);
}

BOOST_AUTO_TEST_CASE(other_signals_change_nothing) {
    ReadyProbe probe;
    for (const int number : {SIGHUP, SIGUSR1, SIGUSR2, SIGPIPE, SIGALRM, SIGQUIT}) {
        probe.signal(number);
        BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    }
    probe.signal(SIGTERM);
    BOOST_TEST(probe.wait_end() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
