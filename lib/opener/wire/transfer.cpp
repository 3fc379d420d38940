#include "opener/wire/transfer.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <span>

#include <poll.h>
#include <sys/socket.h>

namespace usershell::opener {

namespace {

constexpr std::size_t size_of_size = 8;

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

/// False when they do not all come in time.
bool receive(int socket, std::span<char> bytes, Deadline deadline) {
    while (!bytes.empty()) {
        const ssize_t got = ::recv(socket, bytes.data(), bytes.size(), 0);
        if (got > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(got));
        else if (got == 0 || !would_block() || !wait_for(socket, POLLIN, deadline))
            return false;
    }
    return true;
}

} // namespace

bool send_message(int socket, std::string_view message, Deadline deadline) {
    WipedString framed;
    framed.reserve(size_of_size + message.size());
    for (std::size_t left = size_of_size; left-- > 0;)
        framed.push_back(static_cast<char>(message.size() >> 8 * left & 0xff));
    framed.append(message);
    std::string_view bytes = framed;
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent > 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        else if (!would_block() || !wait_for(socket, POLLOUT, deadline))
            return false;
    }
    return true;
}

std::optional<WipedString> receive_message(int socket, std::size_t most, Deadline deadline) {
    std::array<char, size_of_size> header{};
    if (!receive(socket, header, deadline)) return std::nullopt;
    std::uint64_t size = 0;
    for (const char byte : header) size = size << 8 | static_cast<unsigned char>(byte);
    if (size > most) return std::nullopt;
    WipedString message;
    message.resize(size);
    if (!receive(socket, {message.data(), message.size()}, deadline)) return std::nullopt;
    return message;
}

} // namespace usershell::opener
