#include "tests/unit/net/scripted_server.hpp"
#include <netinet/in.h>
#include <poll.h>
namespace usershell::test {
namespace {
int need(int result) {
    if (result < 0) throw std::runtime_error{"the scripted server can't have a socket"};
    return result;
}
} // namespace
std::pair<Descriptor, Descriptor> connected_pair() {
    int ends[2];
    need(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
    return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}
std::string Received::header(std::string_view name) const {
    const std::string wanted = "\r\n" + lower_ascii(name) + ":";
    const auto at = lower_ascii(head).find(wanted);
    if (at == std::string::npos) return {};
    const auto begin = head.find_first_not_of(' ', at + wanted.size());
    return head.substr(begin, head.find("\r\n", begin) - begin);
}
bool Connection::fill() {
    char buffer[4096];
    const auto got = recv(socket_.get(), buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    unread_.append(buffer, static_cast<std::size_t>(got));
    return true;
}
std::string Connection::line() {
    std::size_t end = 0;
    while ((end = unread_.find('\n')) == std::string::npos)
        if (!fill()) return {};
    std::string text = unread_.substr(0, end);
    unread_.erase(0, end + 1);
    if (text.ends_with('\r')) text.pop_back();
    return text;
}
Received Connection::request() {
    Received request;
    std::size_t end = 0;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos)
        if (!fill()) return request;
    request.head = unread_.substr(0, end);
    unread_.erase(0, end + 4);
    const std::string length = request.header("Content-Length");
    const std::size_t size = length.empty() ? 0 : std::stoul(length);
    while (unread_.size() < size)
        if (!fill()) return {};
    request.body = unread_.substr(0, size);
    unread_.erase(0, size);
    return request;
}
bool Connection::send(std::string_view bytes) const {
    while (!bytes.empty()) {
        const auto sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}
bool Connection::answer(int status, std::string_view content_type, std::string_view body,
                        std::string_view more_headers) const {
    return send("HTTP/1.1 " + std::to_string(status) + " Said\r\nContent-Type: " +
                std::string{content_type} + "\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n" + std::string{more_headers} + "\r\n" + std::string{body});
}
void Connection::wait_for_peer_to_close() {
    while (fill()) unread_.clear();
}
void Connection::close() {
    const std::lock_guard hold{closing_};
    socket_.reset();
}
void Connection::reset() {
    const linger at_once{1, 0};
    setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close();
}
void Connection::interrupt() {
    const std::lock_guard hold{closing_};
    if (socket_.get() >= 0) shutdown(socket_.get(), SHUT_RDWR);
}
ScriptedServer::ScriptedServer(Script script)
    : script_{std::move(script)},
      listener_{need(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))} {
    std::tie(stop_, stopped_) = connected_pair();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(bind(listener_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address));
    need(listen(listener_.get(), 64));
    socklen_t size = sizeof address;
    need(getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size));
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread{[this] { accept_all(); }};
}
ScriptedServer::~ScriptedServer() {
    stop_.reset();
    acceptor_.join();
    for (auto& guest : guests_) guest.connection->interrupt();
    for (auto& guest : guests_)
        if (guest.thread.joinable()) guest.thread.join();
}
void ScriptedServer::finish() {
    std::vector<std::thread> threads;
    {
        const std::lock_guard hold{lock_};
        for (auto& guest : guests_) threads.push_back(std::move(guest.thread));
    }
    for (auto& thread : threads)
        if (thread.joinable()) thread.join();
}
void ScriptedServer::accept_all() {
    for (;;) {
        pollfd both[] = {{listener_.get(), POLLIN, 0}, {stopped_.get(), POLLIN, 0}};
        if (poll(both, 2, -1) < 0) continue;
        if (both[1].revents != 0) return;
        const int socket = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (socket >= 0) greet(socket);
    }
}
void ScriptedServer::greet(int socket) {
    const std::lock_guard hold{lock_};
    auto connection = std::make_shared<Connection>(Descriptor{socket}, connections_++);
    guests_.push_back({connection, std::thread{[this, connection] {
                           script_(*connection);
                           connection->close();
                       }}});
}
} // namespace usershell::test
