#include "net/connection_pool.hpp"

#include <iterator>
#include <utility>

#include <poll.h>

namespace usershell::net {
namespace {

std::unique_ptr<PooledConnection> new_connection(std::string key) {
    auto connection = std::make_unique<PooledConnection>();
    connection->key = std::move(key);
    connection->multi = new_multi();
    curl_multi_setopt(connection->multi.get(), CURLMOPT_MAXCONNECTS, 1L);
    return connection;
}

// libcurl 7.88 looks at this itself, but takes a TLS connection with unread bytes for a live one:
// they would be read as the answer to the next request, and a goodbye would be found out only
// after that request had been written.
bool is_silent(const PooledConnection& connection) {
    pollfd idle{connection.socket, POLLIN | POLLRDHUP, 0};
    return ::poll(&idle, 1, 0) == 0;
}

} // namespace

std::unique_ptr<PooledConnection> ConnectionPool::take(const std::string& pool,
                                                       const std::string& origin) {
    std::string key = pool.empty() ? std::string{} : pool + '\n' + origin;
    Connections closing; // which takes system calls, after the lock
    const std::scoped_lock lock{mutex_};
    while (!idle_.empty() && idle_.back()->idle_since + max_idle_time < Clock::now())
        closing.splice(closing.end(), idle_, std::prev(idle_.end()));
    auto found = find(key, closing);
    return found ? std::move(found) : new_connection(std::move(key));
}

std::unique_ptr<PooledConnection> ConnectionPool::find(const std::string& key,
                                                       Connections& closing) {
    for (auto each = idle_.begin(); each != idle_.end();) {
        const auto candidate = each++;
        if ((*candidate)->key != key) continue;
        if (is_silent(**candidate)) {
            auto found = std::move(*candidate);
            idle_.erase(candidate);
            return found;
        }
        closing.splice(closing.end(), idle_, candidate);
    }
    return nullptr;
}

void ConnectionPool::give_back(std::unique_ptr<PooledConnection> connection) {
    if (connection->key.empty() || connection->socket == CURL_SOCKET_BAD) return;
    connection->idle_since = Clock::now();
    Connections closing;
    const std::scoped_lock lock{mutex_};
    idle_.push_front(std::move(connection));
    if (idle_.size() > max_idle) closing.splice(closing.end(), idle_, std::prev(idle_.end()));
}

} // namespace usershell::net
