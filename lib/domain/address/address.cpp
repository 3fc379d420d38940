#include "domain/address/address.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "domain/address/url.hpp"

#include <algorithm>
#include <span>
#include <string_view>

#include <arpa/inet.h>

#include <boost/url/ipv4_address.hpp>
#include <boost/url/ipv6_address.hpp>

namespace usershell {

namespace {

struct Network {
    Address address;
    unsigned bits;
};

/// `address/bits`. Null if malformed or if bits are set beyond the prefix.
std::optional<Network> parse_network(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const auto address = Address::parse(text.substr(0, slash));
    const auto bits = parse_number<unsigned>(text.substr(slash + 1));
    if (!address || !bits) return std::nullopt;

    const unsigned width = address->is_v4() ? 32 : 128;
    if (*bits > width || *address != address->prefix(*bits)) return std::nullopt;
    return Network{*address, *bits};
}

std::vector<Network> parse_table(std::span<const std::string_view> rows) {
    std::vector<Network> table;
    for (const auto row : rows) table.push_back(parse_network(row).value());
    return table;
}

bool in_any(const Address& address, const std::vector<Network>& table) {
    return std::ranges::any_of(table,
                               [&](const Network& n) { return address.in(n.address, n.bits); });
}

// IANA's IPv4 and IPv6 special-purpose address registries, multicast and reserved space, and the
// one public address behind which a cloud keeps an in-host service. IPv6 is refused outside global
// unicast.
constexpr std::string_view special_v4[] = {
    "0.0.0.0/8",        // this network
    "10.0.0.0/8",       // private
    "100.64.0.0/10",    // shared by carriers; Alibaba's metadata
    "127.0.0.0/8",      // loopback
    "168.63.129.16/32", // Azure's WireServer
    "169.254.0.0/16",   // link-local; metadata of most clouds
    "172.16.0.0/12",    // private
    "192.0.0.0/24",     // IETF protocols; Oracle's metadata
    "192.0.2.0/24",     // documentation
    "192.31.196.0/24",  // AS112
    "192.52.193.0/24",  // AMT
    "192.88.99.0/24",   // 6to4 relays
    "192.168.0.0/16",   // private
    "192.175.48.0/24",  // AS112
    "198.18.0.0/15",    // benchmarking
    "198.51.100.0/24",  // documentation
    "203.0.113.0/24",   // documentation
    "224.0.0.0/4",      // multicast
    "240.0.0.0/4",      // reserved, broadcast
};
constexpr std::string_view global_v6[] = {"2000::/3"};
constexpr std::string_view special_v6[] = {
    "2001::/23",         // Teredo, ORCHID, benchmarking and other protocols
    "2001:db8::/32",     // documentation
    "2002::/16",         // 6to4
    "2620:4f:8000::/48", // AS112
    "3fff::/20",         // documentation
};

constexpr std::string_view private_suffixes[] = {".localhost", ".local", ".internal"};

bool is_open_port(std::uint16_t port) { return port == 80 || port == 443 || port >= 1024; }

bool is_private_name(std::string_view host) {
    if (host.find('.') == std::string_view::npos || host.ends_with('.')) return true;
    return std::ranges::any_of(private_suffixes,
                               [&](std::string_view suffix) { return host.ends_with(suffix); });
}

} // namespace

std::optional<Address> Address::parse(std::string_view text) {
    if (const auto four = boost::urls::parse_ipv4_address(text)) return v4(four->to_bytes());
    if (const auto six = boost::urls::parse_ipv6_address(text)) return v6(six->to_bytes());
    return std::nullopt;
}

Address Address::v4(std::array<std::uint8_t, 4> bytes) {
    Address address;
    std::ranges::copy(bytes, address.bytes_.begin());
    address.is_v4_ = true;
    return address;
}

Address Address::v6(std::array<std::uint8_t, 16> bytes) {
    Address address;
    address.bytes_ = bytes;
    return address;
}

// Not by Boost.URL: 1.81 shortens a single zero group, which RFC 5952 4.2.2 forbids.
std::string Address::text() const {
    std::array<char, INET6_ADDRSTRLEN> text{};
    ::inet_ntop(is_v4_ ? AF_INET : AF_INET6, bytes_.data(), text.data(), text.size());
    return text.data();
}

Address Address::prefix(unsigned bits) const {
    Address network = *this;
    for (std::uint8_t& byte : network.bytes_) {
        if (bits < 8) byte &= static_cast<std::uint8_t>(0xff00U >> bits);
        bits -= std::min(bits, 8U);
    }
    return network;
}

namespace {

/// Mapped IPv4 as IPv4.
Address unmapped(const Address& address) {
    constexpr std::array<std::uint8_t, 12> mapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const auto& bytes = address.bytes();
    if (address.is_v4() || !std::equal(mapped.begin(), mapped.end(), bytes.begin())) return address;
    return Address::v4({bytes[12], bytes[13], bytes[14], bytes[15]});
}

} // namespace

std::string Address::rough_network() const {
    const Address address = unmapped(*this);
    const unsigned bits = address.is_v4() ? 16 : 32;
    return address.prefix(bits).text() + "/" + std::to_string(bits);
}

std::vector<std::string> Address::client_networks() const {
    if (const Address four = unmapped(*this); four.is_v4()) return {four.text()};
    return {prefix(64).text() + "/64", prefix(48).text() + "/48"};
}

bool is_loopback_host(const std::string& host) {
    if (lower_ascii(host) == "localhost") return true;
    const auto address = Address::parse(host);
    return address && (address->in(Address::v4({127, 0, 0, 0}), 8) || address->text() == "::1");
}

bool is_public(const Address& address) {
    static const auto forbidden_four = parse_table(special_v4);
    static const auto global_six = parse_table(global_v6);
    static const auto forbidden_six = parse_table(special_v6);
    if (address.is_v4()) return !in_any(address, forbidden_four);
    return in_any(address, global_six) && !in_any(address, forbidden_six);
}

PublicNetworks public_networks() { return {global_v6, special_v4, special_v6}; }

EgressPolicy::EgressPolicy(const std::vector<std::string>& allow) {
    for (const auto& row : allow) add(row);
}

void EgressPolicy::add(std::string_view row) {
    const auto colon = row.rfind(':');
    const auto port =
        colon == std::string_view::npos ? std::nullopt : parse_port(row.substr(colon + 1));
    if (!port) throw Error{"'" + printable(row) + "' must end in a port, as in 127.0.0.1:11434."};

    const auto target = row.substr(0, colon);
    auto inner = target;
    if (inner.starts_with('[') && inner.ends_with(']')) inner = inner.substr(1, inner.size() - 2);
    if (const auto network = parse_network(inner)) {
        networks_.push_back({network->address, network->bits, *port});
    } else if (const auto host = canonical_host(target); !host) {
        throw Error{"'" + printable(row) +
                    "' must be host:port, [IPv6]:port or network/bits:port with no "
                    "bits set beyond the prefix."};
    } else if (const auto address = Address::parse(*host)) {
        networks_.push_back({*address, address->is_v4() ? 32U : 128U, *port});
    } else {
        hosts_.push_back({*host, *port});
    }
}

bool EgressPolicy::names(std::string_view host, std::uint16_t port) const {
    return std::ranges::any_of(
        hosts_, [&](const HostRow& row) { return row.port == port && row.host == host; });
}

bool EgressPolicy::permits(const Address& address, std::uint16_t port, std::string_view host,
                           std::span<const Address> own) const {
    const bool allowed = std::ranges::any_of(networks_, [&](const NetworkRow& row) {
        return row.port == port && address.in(row.network, row.bits);
    });
    if (allowed || names(lower_ascii(host), port)) return true;
    return is_public(address) && is_open_port(port) && std::ranges::find(own, address) == own.end();
}

bool EgressPolicy::may_try(std::string_view host, std::uint16_t port) const {
    if (const auto address = Address::parse(host)) return permits(*address, port, host);
    const std::string name = lower_ascii(host);
    if (ends_in_number(name)) return false;
    if (names(name, port)) return true;
    const bool network_has_port =
        std::ranges::any_of(networks_, [&](const NetworkRow& row) { return row.port == port; });
    return !is_private_name(name) && (is_open_port(port) || network_has_port);
}

} // namespace usershell
