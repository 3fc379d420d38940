#include "tests/unit/fcgi/support.hpp"
#include <cerrno>
#include <poll.h>
#include <sys/time.h>
#include <sys/un.h>
namespace usershell::fcgi {
namespace {
char byte(std::size_t value) { return static_cast<char>(value & 0xffU); }
std::size_t number(char c) { return static_cast<unsigned char>(c); }
std::string length(std::size_t bytes) {
    if (bytes < 0x80) return {byte(bytes)};
    return {byte(bytes >> 24U | 0x80U), byte(bytes >> 16U), byte(bytes >> 8U), byte(bytes)};
}
std::string stream(std::uint8_t type, std::string_view content) {
    constexpr std::size_t piece = 32000;
    std::string records;
    for (; !content.empty(); content.remove_prefix(std::min(content.size(), piece)))
        records += record(type, 1, content.substr(0, piece), 5);
    return records + record(type, 1, {});
}
Descriptor connected_to(const std::string& path) {
    Descriptor socket{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    BOOST_REQUIRE(path.size() < sizeof(address.sun_path));
    path.copy(address.sun_path, path.size());
    const auto* plain = reinterpret_cast<const sockaddr*>(&address);
    BOOST_REQUIRE_EQUAL(::connect(socket.get(), plain, sizeof(address)), 0);
    return socket;
}
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
std::string record(std::uint8_t type, std::uint16_t id, std::string_view content,
                   std::size_t padding) {
    const std::size_t size = content.size();
    std::string text{
        1, byte(type), byte(id >> 8U), byte(id), byte(size >> 8U), byte(size), byte(padding), 0};
    return text.append(content).append(padding, '\0');
}
std::string begin_record(std::uint16_t id, std::uint8_t role) {
    return record(FCGI_BEGIN_REQUEST, id, std::string{0, byte(role), 0, 0, 0, 0, 0, 0});
}
std::string name_value(std::string_view name, std::string_view value) {
    return length(name.size()).append(length(value.size())).append(name).append(value);
}
std::string request_records(std::string_view params, std::string_view body) {
    return begin_record() + stream(FCGI_PARAMS, params) + stream(FCGI_STDIN, body);
}
std::string whole_request(const std::string& method, const std::string& uri,
                          const std::string& body, const Pairs& extra) {
    Pairs params = {{"REQUEST_METHOD", method},
                    {"REQUEST_URI", uri},
                    {"CONTENT_LENGTH", body.empty() ? "" : std::to_string(body.size())}};
    params.insert(params.end(), extra.begin(), extra.end());
    std::string content;
    for (const auto& [name, value] : params) content += name_value(name, value);
    return request_records(content, body);
}
int Reply::status() const {
    const std::string text = header("Status");
    return text.empty() ? 0 : std::stoi(text);
}
std::string Reply::header(const std::string& name) const {
    const std::string head = output.substr(0, output.find("\r\n\r\n")) + "\r\n";
    const std::size_t at = head.find(name + ": ");
    if (at == std::string::npos) return {};
    BOOST_TEST(head.find(name + ": ", at + 1) == std::string::npos, "twice: " << name);
    const std::size_t start = at + name.size() + 2;
    return head.substr(start, head.find("\r\n", start) - start);
}
std::string Reply::body() const {
    const std::size_t end = output.find("\r\n\r\n");
    return end == std::string::npos ? "" : output.substr(end + 4);
}
Client::Client(Descriptor socket) : socket_{std::move(socket)} {
    const timeval timeout{20, 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
}
Client::Client(const std::string& socket_path) : Client{connected_to(socket_path)} {}
bool Client::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count < 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}
void Client::finish_sending() const { ::shutdown(socket_.get(), SHUT_WR); }
bool Client::receive() {
    std::array<char, 16384> piece{};
    const ssize_t count = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    BOOST_REQUIRE_MESSAGE(count >= 0 || errno == ECONNRESET, "the worker does not answer");
    pending_.append(piece.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
    while (pending_.size() >= FCGI_HEADER_LEN) {
        const std::size_t content = number(pending_[4]) * 256 + number(pending_[5]);
        const std::size_t whole = FCGI_HEADER_LEN + content + number(pending_[6]);
        if (pending_.size() < whole) break;
        BOOST_TEST(number(pending_[3]) == 1U);
        if (pending_[1] == FCGI_STDOUT) reply_.output.append(pending_, FCGI_HEADER_LEN, content);
        if (pending_[1] == FCGI_END_REQUEST) reply_.ended = true;
        pending_.erase(0, whole);
    }
    return count > 0;
}
Reply Client::read_reply() {
    while (receive()) {
    }
    return reply_;
}
void Client::read_until(std::string_view text) {
    while (!has(reply_.output, text))
        BOOST_REQUIRE_MESSAGE(receive(), "the answer ends without " << text);
}
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
