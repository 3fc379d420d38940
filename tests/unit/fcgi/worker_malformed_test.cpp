// Records that no web server sends: the worker hangs up, stays alive, and leaks nothing.
#include "probe_process.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace usershell;
using namespace usershell::fcgi;

namespace {

Reply send_and_read(const std::string& socket, const std::string& bytes) {
    Client client{socket};
    client.send(bytes);
    client.finish_sending();
    return client.read_reply();
}

std::string with_params(const std::string& content) {
    return begin_record() + record(fastcgi::params, 1, content) + record(fastcgi::params, 1, {}) +
           record(fastcgi::standard_input, 1, {});
}

/// The query that overruns libfcgi's answer buffer.
std::string greedy_query() {
    std::string names;
    for (int i = 0; i < 5; ++i) names += name_value("FCGI_MPXS_CONNS", "");
    return record(fastcgi::get_values, 0, names);
}

std::size_t open_files(pid_t pid) {
    const std::filesystem::directory_iterator files{"/proc/" + std::to_string(pid) + "/fd"};
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

} // namespace

BOOST_AUTO_TEST_SUITE(worker_malformed)

BOOST_AUTO_TEST_CASE(the_worker_hangs_up_and_stays) {
    ReadyProbe probe{{"patience=20000"}};
    const std::vector<std::string> rows = {
        "GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        greedy_query() + greedy_query(),
        begin_record() + greedy_query() + greedy_query(),
        begin_record() + record(fastcgi::params, 1, {}) + greedy_query() + greedy_query(),
        with_params("\xff\xff\xff\xff\xff\xff\xff\xff"),
        with_params(std::string{"\xff\xff\xff\xfe\x80\0\0\1", 8}),
        with_params(std::string{"\x7f\x00", 2}),
        begin_record() + begin_record(2) + record(fastcgi::params, 1, {}),
        begin_record(1, 3) + record(fastcgi::params, 1, {}) +
            record(fastcgi::standard_input, 1, {}),
        std::string(100'000, '\0'),
        std::string(100'000, '\1'),
    };
    for (const std::string& bytes : rows) {
        const Reply reply = send_and_read(probe.socket(), bytes);
        BOOST_TEST(!reply.ended);
        BOOST_TEST(reply.output.empty());
        BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    }
    BOOST_TEST(probe.log().find("bad FastCGI request") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(every_cut_of_a_request_is_survived) {
    ReadyProbe probe{{"patience=20000"}};
    const std::string whole = whole_request("POST", "/echo", "body");
    for (std::size_t length = 0; length < whole.size(); ++length)
        BOOST_TEST(send_and_read(probe.socket(), whole.substr(0, length)).output.empty());
    BOOST_TEST(send_and_read(probe.socket(), whole).status() == 200);
}

BOOST_AUTO_TEST_CASE(changed_bytes_are_survived) {
    ReadyProbe probe{{"patience=20000"}};
    const std::string whole = whole_request("POST", "/echo", "body");
    std::mt19937 random{20240607}; // NOLINT: the same bytes in every run
    const std::size_t files = open_files(probe.pid());
    for (int round = 0; round < 1000; ++round) {
        std::string bytes = whole;
        for (int change = 0; change < 3; ++change)
            bytes[random() % bytes.size()] = static_cast<char>(random());
        send_and_read(probe.socket(), bytes);
    }
    BOOST_TEST(probe.ask("GET", "/plain").status() == 200);
    // A descriptor is closed a moment after the client has seen the end.
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (open_files(probe.pid()) > files && std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    BOOST_TEST(open_files(probe.pid()) <= files);
    probe.signal(SIGTERM);
    BOOST_TEST(probe.wait_end() == 0);
}

BOOST_AUTO_TEST_SUITE_END()
