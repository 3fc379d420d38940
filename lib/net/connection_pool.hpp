// Connections to providers that stay open after a call, each for the next call of the same user to
// the same origin: no call goes over a connection that another user's key has opened, and no
// TLS session is resumed at all. A connection serves one call at a time. While it is kept it is
// closed when anything arrives on it (an answer without a request, or the provider's close), after
// a minute, or when there are too many. In the loop's thread only. For lib/net only.
//
// libcurl holds the connections. It may choose among those it holds to the same host, port and
// address scope (CURLOPT_ADDRESS_SCOPE, which means nothing for any address that we call); so each
// connection is opened with a number of its own as its scope, and a call uses either a free number
// or that of the kept connection it was given. Before the request is written, the connection's
// local port shows whether libcurl has chosen that one (Transfer::may_use). A number is free again
// when its call has ended and libcurl has closed its connections: libcurl 7.88 keeps an entry for
// each scope whose connection it has closed because there were too many.
#pragma once

#include "domain/address/address.hpp"
#include "net/curl.hpp"
#include "runtime/loop.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <sys/socket.h>

namespace usershell::net {

/// The one connection that a call may use.
struct PooledConnection {
    std::string key;                        ///< whose, and to which origin; empty: not to be kept
    std::uint32_t number = 0;               ///< its address scope; 0: none was taken
    int local_port = 0;                     ///< of one that has been kept; 0: not connected yet
    curl_socket_t socket = CURL_SOCKET_BAD; ///< while it is kept
    std::chrono::steady_clock::time_point idle_since{};
};

class ConnectionPool final : Loop::Watcher, Loop::Timer {
public:
    using Clock = std::chrono::steady_clock;

    /// Connections kept in all; when there are more, the one idle longest is closed.
    static constexpr std::size_t max_idle = 256;
    static constexpr std::chrono::seconds max_idle_time{60};

    explicit ConnectionPool(Loop& loop);
    ~ConnectionPool() override;

    /// An idle connection of that pool and origin, or the number under which to open a new one. It
    /// is in use until release().
    PooledConnection take(const std::string& pool, const std::string& origin);
    /// The call that has taken the number has ended, after keep() if it is kept.
    void release(std::uint32_t number);

    /// After a call that has left it open. Its key is not empty.
    void keep(PooledConnection connection);

    /// libcurl connects by that descriptor, or is about to close it.
    void opened(curl_socket_t socket, std::uint32_t number);
    void closing(curl_socket_t socket);

private:
    using Connections = std::list<PooledConnection>;

    void on_ready(int descriptor, std::uint32_t events) override;
    void on_due() override;
    void close(Connections::iterator connection);
    Connections::iterator find(curl_socket_t socket);

    Loop& loop_;
    Connections idle_;                                        ///< the last used first
    std::unordered_map<curl_socket_t, std::uint32_t> opened_; ///< numbers of open descriptors
    /// Of each number: its open descriptors, and the call that has it. 0 is none: libcurl's own.
    std::vector<int> uses_{0};
    std::vector<std::uint32_t> free_;
};

// The egress rule as it holds on this machine: the operator's policy, and of the public internet
// not the machine's own addresses, behind which services listen that trust their neighbours. They
// are read from the kernel at the start and, when the rule is asked, at most once a minute (some
// tens of microseconds). An address that the machine does not know of (a cloud's NAT) is not seen.
// In the loop's thread only. For lib/net only.

struct SocketAddress {
    Address address;
    std::uint16_t port;
};

/// The kernel's or libcurl's socket address as our own type. Null for a family that is neither IPv4
/// nor IPv6, and for fewer bytes than the family needs.
std::optional<SocketAddress> read_socket_address(const sockaddr& raw, std::size_t size);

class EgressGuard {
public:
    /// Throws Error with a sentence when the addresses can't be read (a sandbox
    /// without AF_NETLINK): without them the rule would have a hole.
    explicit EgressGuard(EgressPolicy policy);

    /// As EgressPolicy has them.
    bool may_try(std::string_view host, std::uint16_t port) const;
    bool permits(const Address& address, std::uint16_t port, std::string_view host);

private:
    using Clock = std::chrono::steady_clock;

    EgressPolicy policy_;
    std::vector<Address> own_;
    Clock::time_point read_at_;
};

} // namespace usershell::net
