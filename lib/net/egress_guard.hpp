// The egress rule as it holds on this machine: the operator's policy, and of the public internet
// not the machine's own addresses, behind which services listen that trust their neighbours. They
// are read from the kernel at the start and, when the rule is asked, at most once a minute (some
// tens of microseconds). An address that the machine does not know of (a cloud's NAT) is not seen.
// In the loop's thread only. For lib/net only.
#pragma once

#include "domain/address/address.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <sys/socket.h>

namespace usershell::net {

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
