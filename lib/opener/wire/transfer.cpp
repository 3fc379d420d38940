#include "opener/wire/transfer.hpp"

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

std::array<char, number_size> bytes_of(std::uint64_t number) {
    std::array<char, number_size> bytes{};
    for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte, number >>= 8)
        *byte = static_cast<char>(number & 0xff);
    return bytes;
}

std::uint64_t number_in(std::span<const char, number_size> bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
    return number;
}

bool send_message(int socket, std::string_view message, Deadline deadline) {
    WipedString framed;
    framed.reserve(number_size + message.size());
    const auto size = bytes_of(message.size());
    framed.append({size.data(), size.size()});
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
    std::array<char, number_size> header{};
    if (!receive(socket, header, deadline)) return std::nullopt;
    const std::uint64_t size = number_in(header);
    if (size > most) return std::nullopt;
    WipedString message;
    message.resize(size);
    if (!receive(socket, {message.data(), message.size()}, deadline)) return std::nullopt;
    return message;
}

} // namespace usershell::opener
