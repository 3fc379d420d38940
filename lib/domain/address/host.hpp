// Hosts as they stand in URLs, settings and mail addresses, brought to one spelling. For
// lib/domain's own files. Pure; any thread may call.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace usershell {

/// The IDNA 2008 ASCII form of a domain name (UTS 46 mapping, not transitional), lower case: 1 to
/// 253 bytes, labels of 1 to 63 letters, digits and inner hyphens. No trailing dot: "example.com."
/// is another spelling of the same host to DNS and another host to certificates, so it is refused.
/// Null when `name` is no such name.
std::optional<std::string> ascii_domain(std::string_view name);

/// Is the last label a number, decimal or 0x…? Then resolvers read the whole host as an address
/// (the URL Standard's "ends in a number").
bool ends_in_number(std::string_view ascii_host);

/// A domain name or canonical dotted IPv4 address as it is, an IPv6 address in RFC 5952 text
/// without brackets (it must stand in brackets in `text`, without a zone). Nothing for anything
/// else, such as "127.1".
std::optional<std::string> canonical_host(std::string_view text);

/// 1 to 65535 in decimal without leading zeros; nothing else.
std::optional<std::uint16_t> parse_port(std::string_view digits);

/// `host` or `host:port`, taken apart but not judged. The port is there when a colon is, even if
/// empty.
struct HostAndPort {
    std::string_view host; ///< with its brackets, if any
    std::optional<std::string_view> port;
};
HostAndPort split_port(std::string_view text);

/// `host:port` with the brackets that an IPv6 host needs.
std::string join_port(std::string_view host, std::uint16_t port);

/// The host with the brackets that an IPv6 address needs in a URL.
std::string bracketed(std::string_view host);

} // namespace usershell
