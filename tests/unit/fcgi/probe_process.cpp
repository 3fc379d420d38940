#include "probe_process.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

namespace usershell::fcgi {

namespace {

sockaddr_un address_of(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    BOOST_REQUIRE(path.size() < sizeof(address.sun_path));
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
}

void bind_to(const Descriptor& socket, const std::string& path) {
    const sockaddr_un address = address_of(path);
    BOOST_REQUIRE_EQUAL(
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
}

void wait_readable(const Descriptor& descriptor, const std::string& what) {
    pollfd watched{descriptor.get(), POLLIN, 0};
    BOOST_REQUIRE_MESSAGE(::poll(&watched, 1, 20'000) == 1, "nothing came: " << what);
}

} // namespace

ProbeFolder::ProbeFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "usershell-fcgi-XXXXXX").string();
    BOOST_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
}

ProbeFolder::~ProbeFolder() { std::filesystem::remove_all(path_); }

Probe::Probe(const ProbeFolder& folder, ProbeStart start)
    : socket_{folder.file("worker.sock")},
      notify_path_{folder.file("notify.sock")},
      log_path_{folder.file("log")},
      notify_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)} {
    std::filesystem::remove(notify_path_);
    bind_to(notify_, notify_path_);
    std::array<int, 2> report{};
    std::array<int, 2> release{};
    BOOST_REQUIRE_EQUAL(::pipe2(report.data(), O_CLOEXEC), 0);
    BOOST_REQUIRE_EQUAL(::pipe2(release.data(), O_CLOEXEC), 0);
    report_ = Descriptor{report[0]};
    release_ = Descriptor{release[1]};
    const Descriptor report_end{report[1]};
    const Descriptor release_end{release[0]};
    const bool names_socket =
        std::any_of(start.options.begin(), start.options.end(),
                    [](const std::string& option) { return option.starts_with("socket="); });
    if (start.listener < 0 && !names_socket) start.options.push_back("socket=" + socket_);
    pid_ = ::fork();
    BOOST_REQUIRE(pid_ >= 0);
    if (pid_ == 0) run_child(start, report_end.get(), release_end.get());
}

/// Between fork and exec.
void Probe::run_child(const ProbeStart& start, int report, int release) const {
    // Copies above all the numbers wanted, so that no dup2 treads on another's source.
    const int report_copy = ::fcntl(report, F_DUPFD, 20);
    const int release_copy = ::fcntl(release, F_DUPFD, 20);
    const int log = ::open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(log, STDERR_FILENO);
    if (start.listener >= 0) ::dup2(::fcntl(start.listener, F_DUPFD, 20), 3);
    ::dup2(report_copy, 10);
    ::dup2(release_copy, 11);
    ::close_range(12, ~0U, 0);
    ::setenv("NOTIFY_SOCKET", notify_path_.c_str(), 1);
    if (start.listener >= 0) {
        ::setenv("LISTEN_FDS", "1", 1);
        ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    }
    for (const std::string& variable : start.environment)
        ::putenv(const_cast<char*>(variable.c_str()));
    std::string program = USERSHELL_WORKER_PROBE;
    std::vector<char*> arguments{program.data()};
    for (const std::string& option : start.options)
        arguments.push_back(const_cast<char*>(option.c_str()));
    arguments.push_back(nullptr);
    ::execv(program.c_str(), arguments.data());
    ::_exit(99);
}

Probe::~Probe() {
    if (pid_ >= 0) {
        ::kill(pid_, SIGKILL);
        wait_end();
    }
    const std::string lines = log();
    BOOST_TEST(lines.find("Sanitizer") == std::string::npos, lines);
    BOOST_TEST(lines.find("runtime error:") == std::string::npos, lines);
}

void Probe::wait_notified(const std::string& message) {
    for (;;) {
        wait_readable(notify_, message);
        std::array<char, 256> text{};
        const ssize_t count = ::recv(notify_.get(), text.data(), text.size(), 0);
        BOOST_REQUIRE(count >= 0);
        if (std::string(text.data(), static_cast<std::size_t>(count)) == message) return;
    }
}

std::string Probe::next_report() {
    std::string line;
    for (;;) {
        wait_readable(report_, "a report");
        char byte = 0;
        BOOST_REQUIRE_EQUAL(::read(report_.get(), &byte, 1), 1);
        if (byte == '\n') return line;
        line.push_back(byte);
    }
}

void Probe::release(std::size_t holds) const {
    const std::string bytes(holds, 'x');
    BOOST_REQUIRE(::write(release_.get(), bytes.data(), bytes.size()) ==
                  static_cast<ssize_t>(bytes.size()));
}

void Probe::signal(int number) const { BOOST_REQUIRE_EQUAL(::kill(pid_, number), 0); }

int Probe::wait_end() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string Probe::log() const {
    std::ifstream file{log_path_};
    return {std::istreambuf_iterator<char>{file}, {}};
}

ReadyProbe::ReadyProbe(std::vector<std::string> options)
    : Probe{*this, {std::move(options), -1, {}}} {
    wait_notified("READY=1");
}

Descriptor listen_at(const std::string& path) {
    Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    bind_to(socket, path);
    BOOST_REQUIRE_EQUAL(::listen(socket.get(), 64), 0);
    return socket;
}

} // namespace usershell::fcgi
