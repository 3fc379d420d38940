#include "net/connection_pool.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

namespace usershell::net {
namespace {

// Has anything arrived since the loop last looked? libcurl 7.88 checks for that itself, but takes a
// TLS connection with unread bytes for a live one: they would be read as the answer to the next
// request, and a closing alert would be noticed only after that request had been written.
bool is_silent(const PooledConnection& connection) {
    pollfd idle{connection.socket, POLLIN | POLLRDHUP, 0};
    return ::poll(&idle, 1, 0) == 0;
}

} // namespace

ConnectionPool::ConnectionPool(Loop& loop) : Timer{loop}, loop_{loop} {}

ConnectionPool::~ConnectionPool() {
    for (const PooledConnection& each : idle_) loop_.forget(each.socket);
}

PooledConnection ConnectionPool::take(const std::string& pool, const std::string& origin) {
    const std::string key = pool.empty() ? std::string{} : pool + '\n' + origin;
    while (!key.empty()) {
        const auto found = std::ranges::find(idle_, key, &PooledConnection::key);
        if (found == idle_.end()) break;
        if (!is_silent(*found)) {
            close(found);
            continue;
        }
        PooledConnection connection = std::move(*found);
        loop_.forget(connection.socket);
        idle_.erase(found);
        ++uses_[connection.number];
        return connection;
    }
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(uses_.size()));
        uses_.push_back(0);
        free_.reserve(uses_.capacity()); // release() must not throw: libcurl calls it
    }
    const std::uint32_t number = free_.back();
    free_.pop_back();
    ++uses_[number];
    return {.key = key, .number = number};
}

void ConnectionPool::release(std::uint32_t number) {
    if (--uses_[number] == 0) free_.push_back(number);
}

void ConnectionPool::opened(curl_socket_t socket, std::uint32_t number) {
    opened_[socket] = number;
    ++uses_[number];
}

void ConnectionPool::keep(PooledConnection connection) {
    connection.idle_since = Clock::now();
    loop_.watch(connection.socket, EPOLLIN | EPOLLRDHUP, *this);
    idle_.push_front(std::move(connection));
    if (idle_.size() > max_idle) close(std::prev(idle_.end()));
    if (!due()) set(Clock::now() + max_idle_time);
}

void ConnectionPool::closing(curl_socket_t socket) {
    if (const auto opened = opened_.find(socket); opened != opened_.end()) {
        release(opened->second);
        opened_.erase(opened);
    }
    const auto found = find(socket);
    if (found == idle_.end()) return;
    loop_.forget(socket);
    idle_.erase(found);
}

void ConnectionPool::on_ready(int descriptor, std::uint32_t /*events*/) {
    if (const auto found = find(descriptor); found != idle_.end()) close(found);
}

void ConnectionPool::on_due() {
    const auto too_old = Clock::now() - max_idle_time;
    while (!idle_.empty() && idle_.back().idle_since <= too_old) close(std::prev(idle_.end()));
    if (!idle_.empty()) set(idle_.back().idle_since + max_idle_time);
}

/// The peer sees the end at once. libcurl lets go of the dead connection when it next opens one;
/// until then its number is in use.
void ConnectionPool::close(Connections::iterator connection) {
    loop_.forget(connection->socket);
    ::shutdown(connection->socket, SHUT_RDWR);
    idle_.erase(connection);
}

ConnectionPool::Connections::iterator ConnectionPool::find(curl_socket_t socket) {
    return std::ranges::find(idle_, socket, &PooledConnection::socket);
}

} // namespace usershell::net
