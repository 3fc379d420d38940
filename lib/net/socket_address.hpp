// The kernel's and libcurl's socket addresses as our own type. For lib/net only.
#pragma once

#include "domain/address/address.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

#include <sys/socket.h>

namespace usershell::net {

struct SocketAddress {
    Address address;
    std::uint16_t port;
};

/// Nothing for a family that is neither IPv4 nor IPv6, and for fewer bytes than the family needs.
std::optional<SocketAddress> read_socket_address(const sockaddr& raw, std::size_t size);

} // namespace usershell::net
