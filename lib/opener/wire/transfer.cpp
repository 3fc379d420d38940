#include "opener/wire/transfer.hpp"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <sys/socket.h>

namespace usershell::opener {

namespace {

/// False when the time is over.
bool wait_for(int socket, short events, Deadline deadline) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds{0}) return false;
    pollfd watched{socket, events, 0};
    ::poll(&watched, 1, static_cast<int>(left.count()));
    return true;
}

bool would_block() { return errno == EAGAIN || errno == EINTR; }

} // namespace

bool send_all(int socket, std::string_view bytes, Deadline deadline) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        else if (!would_block() || !wait_for(socket, POLLOUT, deadline))
            return false;
    }
    return ::shutdown(socket, SHUT_WR) == 0;
}

std::optional<WipedString> receive_all(int socket, std::size_t most, Deadline deadline) {
    constexpr std::size_t first_piece = 4096;
    WipedString bytes;
    std::size_t size = 0;
    for (;;) {
        if (size == bytes.size()) bytes.resize(std::max(first_piece, 2 * size));
        const ssize_t got = ::recv(socket, bytes.data() + size, bytes.size() - size, 0);
        if (got > 0)
            size += static_cast<std::size_t>(got);
        else if (got == 0)
            break;
        else if (!would_block() || !wait_for(socket, POLLIN, deadline))
            return std::nullopt;
        if (size > most) return std::nullopt;
    }
    bytes.resize(size);
    return bytes;
}

} // namespace usershell::opener
