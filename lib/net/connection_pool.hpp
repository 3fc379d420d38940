// Connections to providers that stay open after a call, each for the next call of the same user to
// the same origin: nobody's call goes over a connection that another user's key has opened, and no
// TLS session is resumed at all. A connection serves one call at a time and is closed when bytes
// come that no call has asked for (an answer too many, the provider's goodbye). Thread-safe. For
// lib/net only.
#pragma once

#include "net/curl.hpp"

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>

namespace usershell::net {

/// At most one connection, in a multi handle of its own. Used by one thread at a time.
struct PooledConnection {
    std::string key; ///< whose, and to which origin
    MultiHandle multi;
    curl_socket_t socket = CURL_SOCKET_BAD; ///< while it is kept; CURL_SOCKET_BAD: nothing to keep
    std::chrono::steady_clock::time_point idle_since;
};

class ConnectionPool {
public:
    using Clock = std::chrono::steady_clock;

    /// Kept ones in all; the one that has been idle longest goes first. Each takes three
    /// descriptors, two of them libcurl's own to wake its poll.
    static constexpr std::size_t max_idle = 64;
    static constexpr std::chrono::seconds max_idle_time{60};

    /// An idle one of that pool and origin, or a new one that has not connected yet.
    std::unique_ptr<PooledConnection> take(const std::string& pool, const std::string& origin);

    /// After a call. Kept if it is open and its pool has a name.
    void give_back(std::unique_ptr<PooledConnection> connection);

private:
    using Connections = std::list<std::unique_ptr<PooledConnection>>;

    std::unique_ptr<PooledConnection> find(const std::string& key, Connections& closing);

    std::mutex mutex_;
    Connections idle_; ///< the last used first
};

} // namespace usershell::net
