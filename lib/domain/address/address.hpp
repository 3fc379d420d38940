// Which network addresses may be called: the rule, without any I/O. lib/net enforces it on the
// resolved address at connect and again before a request on a reused connection; the provider
// routes apply it to literal addresses at once. Immutable after construction; any thread may ask.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell {

/// An IPv4 or IPv6 address. Mapped IPv4 (::ffff:0:0/96) is kept as IPv6, and is_public() refuses
/// it.
class Address {
public:
    /// Dotted canonical IPv4 or any RFC 4291 IPv6 text, no zone, no brackets.
    static std::optional<Address> parse(std::string_view text);
    static Address v4(std::array<std::uint8_t, 4> bytes);
    static Address v6(std::array<std::uint8_t, 16> bytes);

    bool is_v4() const { return is_v4_; }
    /// The first 4 hold an IPv4 address.
    const std::array<std::uint8_t, 16>& bytes() const { return bytes_; }
    /// Canonical text (RFC 5952 for IPv6).
    std::string text() const;
    /// The address with all bits after the first `bits` cleared.
    Address prefix(unsigned bits) const;
    /// True when the first `bits` bits equal those of `network` (and the families agree).
    bool in(const Address& network, unsigned bits) const {
        return prefix(bits) == network.prefix(bits);
    }
    /// The networks by which throttles count a client. IPv4, mapped into IPv6 or not: the address
    /// alone. IPv6: the /64 of a subscriber and the /48 of a site, such as "2001:db8:1:2::/64" and
    /// "2001:db8:1::/48".
    std::vector<std::string> client_networks() const;
    /// A network too large to find a person by: the first 16 bits of IPv4, mapped or not, 32 of
    /// IPv6, such as "192.0.0.0/16".
    std::string rough_network() const;

    friend bool operator==(const Address&, const Address&) = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
    bool is_v4_ = false;
};

/// True for addresses of the public internet: none of the ranges of special purpose (IANA's
/// special-purpose address registries, and 168.63.129.16, Azure's in-host service); of IPv6 only
/// 2000::/3, so that every spelling of an IPv4 address inside an IPv6 one (mapped, compatible,
/// NAT64, 6to4, Teredo) is refused.
bool is_public(const Address& address);

/// This machine's own by its text: localhost, or an address of 127.0.0.0/8 or ::1.
bool is_loopback_host(const std::string& host);

/// The networks that is_public() checks, so that a test can compare them with the unit file of
/// usershell-execute. A public IPv6 address is in `global` and not in `special_v6`. A public IPv4
/// address is not in `special_v4`.
struct PublicNetworks {
    std::span<const std::string_view> global;
    std::span<const std::string_view> special_v4, special_v6;
};
PublicNetworks public_networks();

/// The egress rule: the public internet, and the operator's exceptions.
class EgressPolicy {
public:
    /// Rows of the setting `egress-allow`: `host:port`, `[v6]:port`, `CIDR:port` (an IPv6 network
    /// with or without brackets). Throws Error with a sentence naming the row.
    explicit EgressPolicy(const std::vector<std::string>& allow = {});

    /// The final decision, on a resolved address: allowed by a row (address/CIDR and port; a
    /// `host:port` row allows whatever that host resolves to, so `host` is given too), or public
    /// with a port of 80, 443 or ≥ 1024. `own`: the machine's addresses, which are not public to
    /// it.
    bool permits(const Address& address, std::uint16_t port, std::string_view host,
                 std::span<const Address> own = {}) const;

    /// The early decision, on a URL's host before any name is resolved: false for a literal address
    /// that permits() refuses, for localhost, *.localhost, *.local, *.internal and single-label
    /// names (unless a row allows host:port), for a name that ends in a number or a dot, and for a
    /// port that neither the rule nor a row opens. True says only "not refused yet". `host` as
    /// BaseUrl::host() gives it.
    bool may_try(std::string_view host, std::uint16_t port) const;

private:
    void add(std::string_view row);
    bool names(std::string_view host, std::uint16_t port) const;

    struct HostRow {
        std::string host;
        std::uint16_t port;
    };
    struct NetworkRow {
        Address network;
        unsigned bits;
        std::uint16_t port;
    };
    std::vector<HostRow> hosts_;
    std::vector<NetworkRow> networks_;
};

} // namespace usershell
