#include "net/egress_guard.hpp"

#include "base/error.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <utility>

#include <ifaddrs.h>
#include <netinet/in.h>

namespace usershell::net {
namespace {

constexpr std::chrono::minutes reread_after{1};

std::size_t size_of(const sockaddr& raw) {
    return raw.sa_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
}

/// Null when the kernel does not list them.
std::optional<std::vector<Address>> read_own_addresses() {
    ifaddrs* first = nullptr;
    if (::getifaddrs(&first) != 0) return std::nullopt;
    const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
    std::vector<Address> addresses;
    for (const ifaddrs* each = first; each; each = each->ifa_next) {
        if (!each->ifa_addr) continue; // an interface without one
        if (const auto own = read_socket_address(*each->ifa_addr, size_of(*each->ifa_addr)))
            addresses.push_back(own->address);
    }
    return addresses;
}

} // namespace

std::optional<SocketAddress> read_socket_address(const sockaddr& raw, std::size_t size) {
    if (raw.sa_family == AF_INET && size >= sizeof(sockaddr_in)) {
        sockaddr_in in{};
        std::memcpy(&in, &raw, sizeof in);
        const auto bytes = std::bit_cast<std::array<std::uint8_t, 4>>(in.sin_addr);
        return SocketAddress{Address::v4(bytes), ntohs(in.sin_port)};
    }
    if (raw.sa_family == AF_INET6 && size >= sizeof(sockaddr_in6)) {
        sockaddr_in6 in{};
        std::memcpy(&in, &raw, sizeof in);
        const auto bytes = std::bit_cast<std::array<std::uint8_t, 16>>(in.sin6_addr);
        return SocketAddress{Address::v6(bytes), ntohs(in.sin6_port)};
    }
    return std::nullopt;
}

EgressGuard::EgressGuard(EgressPolicy policy) : policy_{std::move(policy)} {
    auto own = read_own_addresses();
    if (!own)
        throw Error{"This machine's network addresses can't be read. The service "
                    "needs AF_NETLINK among its address families."};
    own_ = *std::move(own);
    read_at_ = Clock::now();
}

bool EgressGuard::may_try(std::string_view host, std::uint16_t port) const {
    return policy_.may_try(host, port);
}

bool EgressGuard::permits(const Address& address, std::uint16_t port, std::string_view host) {
    if (const auto now = Clock::now(); now >= read_at_ + reread_after) {
        // If the kernel has no descriptor for us just now, the last list is most likely still
        // right.
        if (auto own = read_own_addresses()) own_ = *std::move(own);
        read_at_ = now;
    }
    return policy_.permits(address, port, host, own_);
}

} // namespace usershell::net
