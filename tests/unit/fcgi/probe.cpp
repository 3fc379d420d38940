#include "tests/unit/fcgi/probe.hpp"
#include <poll.h>
#include <sys/un.h>
namespace usershell::fcgi {
namespace {
Descriptor bound(int type, const std::string& path) {
    Descriptor socket{::socket(AF_UNIX, type | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    BOOST_REQUIRE(path.size() < sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    std::filesystem::remove(path);
    BOOST_REQUIRE_EQUAL(
        ::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    return socket;
}
} // namespace
Probe::Probe(const test::TemporaryFolder& folder, ProbeStart start)
    : socket_{folder.path() / "worker.sock"},
      notify_path_{folder.path() / "notify.sock"},
      log_path_{folder.path() / "log"},
      notify_{bound(SOCK_DGRAM, notify_path_)} {
    std::array<int, 2> release{};
    BOOST_REQUIRE_EQUAL(::pipe2(release.data(), O_CLOEXEC), 0);
    const Descriptor release_end{release[0]};
    release_ = Descriptor{release[1]};
    const bool names_socket = std::ranges::any_of(
        start.options, [](const std::string& option) { return option.starts_with("socket="); });
    if (start.listener < 0 && !names_socket) start.options.push_back("socket=" + socket_);
    pid_ = ::fork();
    BOOST_REQUIRE(pid_ >= 0);
    if (pid_ == 0) run_child(start, release_end.get());
}
void Probe::run_child(const ProbeStart& start, int release) const {
    // Copies above the numbers wanted, so that no dup2 treads on another's source.
    const int listener = start.listener < 0 ? -1 : ::fcntl(start.listener, F_DUPFD_CLOEXEC, 10);
    ::dup2(::fcntl(release, F_DUPFD_CLOEXEC, 10), STDIN_FILENO);
    ::dup2(::open(log_path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
           STDERR_FILENO);
    ::setenv("NOTIFY_SOCKET", notify_path_.c_str(), 1);
    if (listener >= 0) {
        ::dup2(listener, 3);
        ::setenv("LISTEN_FDS", "1", 1);
        ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    }
    ::close_range(listener >= 0 ? 4 : 3, ~0U, 0);
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
    BOOST_TEST(!logged("Sanitizer"), log());
    BOOST_TEST(!logged("runtime error:"), log());
}
void Probe::wait_notified(const std::string& message) const {
    std::string heard;
    while (heard != message) {
        pollfd watched{notify_.get(), POLLIN, 0};
        BOOST_REQUIRE_MESSAGE(::poll(&watched, 1, 20'000) == 1, "it does not say " << message);
        heard.resize(256);
        const ssize_t count = ::recv(notify_.get(), heard.data(), heard.size(), 0);
        heard.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    }
}
void Probe::release(std::size_t holds) const {
    const std::string bytes(holds, 'x');
    BOOST_REQUIRE(::write(release_.get(), bytes.data(), bytes.size()) ==
                  static_cast<ssize_t>(bytes.size()));
}
int Probe::held() const {
    int count = 0;
    const std::string text = log();
    for (auto at = text.find("held"); at != std::string::npos; at = text.find("held", at + 1))
        ++count;
    return count;
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
    : Probe{*this, {.options = std::move(options)}} {
    wait_notified("READY=1");
}
Descriptor listen_at(const std::string& path) {
    Descriptor socket = bound(SOCK_STREAM, path);
    BOOST_REQUIRE_EQUAL(::listen(socket.get(), 64), 0);
    return socket;
}
} // namespace usershell::fcgi
