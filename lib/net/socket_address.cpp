#include "net/socket_address.hpp"

#include <array>
#include <cstring>

#include <netinet/in.h>

namespace usershell::net {

std::optional<SocketAddress> read_socket_address(const sockaddr& raw, std::size_t size) {
    if (raw.sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        sockaddr_in in{};
        std::memcpy(&in, &raw, sizeof in);
        std::array<std::uint8_t, 4> bytes{};
        std::memcpy(bytes.data(), &in.sin_addr, bytes.size());
        return SocketAddress{Address::v4(bytes), ntohs(in.sin_port)};
    }
    if (raw.sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in{};
        std::memcpy(&in, &raw, sizeof in);
        std::array<std::uint8_t, 16> bytes{};
        std::memcpy(bytes.data(), &in.sin6_addr, bytes.size());
        return SocketAddress{Address::v6(bytes), ntohs(in.sin6_port)};
    }
    return std::nullopt;
}

} // namespace usershell::net
