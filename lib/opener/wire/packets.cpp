#include "opener/wire/packets.hpp"

#include <array>
#include <span>

#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace usershell::opener {

namespace {

constexpr char more = 0;
constexpr char last = 1;

iovec part_of(const char* bytes, std::size_t size) {
    return {const_cast<char*>(bytes), size}; // NOLINT: sendmsg(2) only reads them
}

msghdr message_of(std::span<iovec> parts) {
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return message;
}

bool send_packet(int socket, std::span<iovec> parts) {
    const msghdr message = message_of(parts);
    return ::sendmsg(socket, &message, MSG_NOSIGNAL) > 0;
}

/// The next packet: some first bytes to `head`, the rest behind what is in `text`.
bool receive_packet(int socket, std::span<char> head, WipedString& text, std::size_t most) {
    const ssize_t next = ::recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC);
    if (next <= 0) return false;
    const auto size = static_cast<std::size_t>(next);
    if (size < head.size() || size > most) return false;
    const std::size_t before = text.size();
    text.resize(before + size - head.size());
    std::array parts{iovec{head.data(), head.size()},
                     iovec{text.data() + before, text.size() - before}};
    msghdr message = message_of(parts); // no room for control messages: descriptors are closed
    return ::recvmsg(socket, &message, MSG_DONTWAIT) == next &&
           (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
}

bool wait_for_packet(int socket, std::chrono::steady_clock::time_point deadline) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(deadline - std::chrono::steady_clock::now());
    if (left <= milliseconds{0}) return false;
    pollfd watched{socket, POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(left.count())) > 0;
}

} // namespace

bool send_request(int socket, std::string_view request) {
    std::array parts{part_of(request.data(), request.size())};
    return send_packet(socket, parts);
}

bool send_answer(int socket, std::string_view answer) {
    constexpr std::size_t room = max_packet - sizeof(last);
    do {
        const std::string_view piece = answer.substr(0, room);
        answer.remove_prefix(piece.size());
        std::array parts{part_of(answer.empty() ? &last : &more, 1),
                         part_of(piece.data(), piece.size())};
        if (!send_packet(socket, parts)) return false;
    } while (!answer.empty());
    return true;
}

bool receive_request(int socket, WipedString& request, std::size_t most) {
    request.clear();
    return receive_packet(socket, {}, request, most);
}

bool receive_answer(int socket, WipedString& answer,
                    std::chrono::steady_clock::time_point deadline) {
    answer.clear();
    char head = more;
    while (head == more) {
        if (!wait_for_packet(socket, deadline) ||
            !receive_packet(socket, {&head, 1}, answer, max_packet) || answer.size() > max_answer)
            return false;
    }
    return head == last;
}

} // namespace usershell::opener
