#include "net/connection_pool.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <iterator>
#include <memory>
#include <utility>

#include <ifaddrs.h>
#include <netinet/in.h>
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

namespace {

constexpr std::chrono::minutes reread_after{1};

std::size_t size_of(const sockaddr& raw) {
    return raw.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

/// Null when the kernel does not list them.
std::optional<std::vector<Address>> read_own_addresses() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return std::nullopt;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
    std::vector<Address> addresses;
    for (const ifaddrs* each = first; each; each = each->ifa_next) {
        if (!each->ifa_addr) continue; // an interface without one
        if (const auto own = read_socket_address(*each->ifa_addr, size_of(*each->ifa_addr)))
            addresses.push_back(own->address);
    }
    return addresses;
}

} // namespace

std::optional<SocketAddress> read_socket_address(const sockaddr& raw, std::size_t size) {
    if (raw.sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        sockaddr_in in{};
        std::memcpy(&in, &raw, sizeof in);
        const auto bytes = std::bit_cast<std::array<std::uint8_t, 4>>(in.sin_addr);
        return SocketAddress{Address::v4(bytes), ntohs(in.sin_port)};
    }
    if (raw.sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in{};
        std::memcpy(&in, &raw, sizeof in);
        const auto bytes = std::bit_cast<std::array<std::uint8_t, 16>>(in.sin6_addr);
        return SocketAddress{Address::v6(bytes), ntohs(in.sin6_port)};
    }
    return std::nullopt;
}

EgressGuard::EgressGuard(EgressPolicy policy) : policy_{std::move(policy)} {
    auto own = read_own_addresses();
    if (!own)
        throw Error{"This machine's network addresses can't be read. The service "
                    "needs AF_NETLINK among its address families."};
    own_ = *std::move(own);
    read_at_ = Clock::now();
}

bool EgressGuard::may_try(std::string_view host, std::uint16_t port) const {
    return policy_.may_try(host, port);
}

bool EgressGuard::permits(const Address& address, std::uint16_t port, std::string_view host) {
    if (const auto now = Clock::now(); now >= read_at_ + reread_after) {
        // If the kernel has no descriptor for us just now, the last list is most likely still
        // right.
        if (auto own = read_own_addresses()) own_ = *std::move(own);
        read_at_ = now;
    }
    return policy_.permits(address, port, host, own_);
}

} // namespace usershell::net
