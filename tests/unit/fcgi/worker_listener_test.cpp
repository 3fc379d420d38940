// Where the worker listens, and what it tells systemd.
#include "probe_process.hpp"

#include <boost/test/unit_test.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>

using namespace usershell;
using namespace usershell::fcgi;
namespace fs = std::filesystem;

BOOST_AUTO_TEST_SUITE(worker_listener)

BOOST_AUTO_TEST_CASE(an_own_socket_is_for_owner_and_group) {
    const ReadyProbe probe;
    using fs::perms;
    const perms wanted =
        perms::owner_read | perms::owner_write | perms::group_read | perms::group_write;
    BOOST_TEST((fs::status(probe.socket()).permissions() == wanted));
}

BOOST_AUTO_TEST_CASE(a_socket_that_nobody_answers_on_is_replaced) {
    const ProbeFolder folder;
    listen_at(folder.file("worker.sock")).reset();
    BOOST_TEST(fs::exists(folder.file("worker.sock")));
    Probe probe{folder, {}};
    probe.wait_notified("READY=1");
    BOOST_TEST(ask(probe.socket(), "GET", "/plain").status() == 200);
}

BOOST_AUTO_TEST_CASE(a_socket_in_use_is_left_alone) {
    ReadyProbe first;
    Probe second{first, {}};
    BOOST_TEST(second.wait_end() == 1);
    BOOST_TEST(second.log().find("another process serves") != std::string::npos);
    BOOST_TEST(first.ask("GET", "/plain").status() == 200);
}

BOOST_AUTO_TEST_CASE(what_is_no_socket_is_left_alone) {
    const ProbeFolder folder;
    std::ofstream{folder.file("worker.sock")} << "precious";
    Probe probe{folder, {}};
    BOOST_TEST(probe.wait_end() == 1);
    BOOST_TEST(fs::file_size(folder.file("worker.sock")) == 8U);
}

BOOST_AUTO_TEST_CASE(a_path_that_cannot_be_is_said) {
    const ProbeFolder folder;
    Probe nowhere{folder, {{"socket=" + folder.file("no/such/folder.sock")}, -1, {}}};
    BOOST_TEST(nowhere.wait_end() == 1);
    Probe lengthy{folder, {{"socket=" + folder.file(std::string(120, 'x'))}, -1, {}}};
    BOOST_TEST(lengthy.wait_end() == 1);
    BOOST_TEST(lengthy.log().find("too long a path") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_inherited_socket_is_served) {
    const ProbeFolder folder;
    const Descriptor listener = listen_at(folder.file("worker.sock"));
    Probe probe{folder, {{}, listener.get(), {}}};
    probe.wait_notified("READY=1");
    BOOST_TEST(ask(probe.socket(), "GET", "/plain").body() == "hello");
    probe.signal(SIGTERM);
    BOOST_TEST(probe.wait_end() == 0);
    BOOST_TEST(fs::exists(folder.file("worker.sock")));
}

BOOST_AUTO_TEST_CASE(two_processes_share_a_socket) {
    const ProbeFolder folder;
    const Descriptor listener = listen_at(folder.file("worker.sock"));
    Probe first{folder, {{"threads=1", "patience=20000"}, listener.get(), {}}};
    first.wait_notified("READY=1");
    const ProbeFolder other_folder;
    Probe second{other_folder, {{"threads=1", "patience=20000"}, listener.get(), {}}};
    second.wait_notified("READY=1");
    // Both are given more than one of them can hold.
    Client one{first.socket()};
    one.send(whole_request("GET", "/hold"));
    Client two{first.socket()};
    two.send(whole_request("GET", "/hold"));
    BOOST_TEST(first.next_report() == "held");
    BOOST_TEST(second.next_report() == "held");
    first.release(1);
    second.release(1);
    BOOST_TEST(one.read_reply().status() == 200);
    BOOST_TEST(two.read_reply().status() == 200);
}

BOOST_AUTO_TEST_CASE(without_a_listener_there_is_no_worker) {
    const ProbeFolder folder;
    Probe probe{folder, {{"socket="}, -1, {}}};
    BOOST_TEST(probe.wait_end() == 1);
    BOOST_TEST(probe.log().find("LISTEN_FDS") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(tcp_is_refused) {
    const ProbeFolder folder;
    const Descriptor tcp{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    BOOST_REQUIRE_EQUAL(
        ::bind(tcp.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    BOOST_REQUIRE_EQUAL(::listen(tcp.get(), 1), 0);
    Probe probe{folder, {{}, tcp.get(), {}}};
    BOOST_TEST(probe.wait_end() == 1);
}

BOOST_AUTO_TEST_CASE(the_watchdog_is_fed) {
    const ProbeFolder folder;
    Probe probe{folder, {{}, -1, {"WATCHDOG_USEC=40000"}}};
    probe.wait_notified("READY=1");
    for (int i = 0; i < 5; ++i) probe.wait_notified("WATCHDOG=1");
    Client client{probe.socket()};
    client.send(whole_request("GET", "/hold-stream"));
    client.read_until("first\n");
    BOOST_TEST(probe.next_report() == "held");
    probe.signal(SIGTERM);
    probe.wait_notified("STOPPING=1");
    for (int i = 0; i < 5; ++i) probe.wait_notified("WATCHDOG=1");
    probe.release(1);
    BOOST_TEST(client.read_reply().ended);
    BOOST_TEST(probe.wait_end() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
