// Hosts and base URLs, each brought to one spelling, so that no two parsers can disagree on where a
// key is sent (facts: Boost.URL takes `127.1` and `2130706433` for names, libcurl takes them for
// loopback). Only BaseUrl::text() is ever given to the HTTP client. Pure; any thread may call.
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

class BaseUrl {
public:
    /// Accepts absolute http or https with a host, no user info, no query, no fragment, no control
    /// character, space or backslash, at most 2,048 bytes. A host whose last label is a number must
    /// be a canonical dotted IPv4 address; an IPv6 literal (no zone) is rewritten in RFC 5952 form;
    /// another host becomes its IDNA ASCII form (libidn2) without a trailing dot, which is refused;
    /// no percent-encoding in a host. A port is 1 to 65535 without leading zeros; the scheme's
    /// default is left out of text(). The path keeps its case, loses trailing slashes and
    /// percent-encoding of what needs none, and has no dot segment, encoded slash or encoded
    /// control character. A query is always refused: where a protocol needs one (Azure's
    /// api-version) its adapter writes it, and a key pasted along with an address never gets
    /// stored. Outer white space is the caller's to trim. Throws Refusal invalid("baseUrl", …) with
    /// a sentence that says what is wrong.
    static BaseUrl parse(std::string_view text);

    /// Canonical form, no trailing slash; parse(text()) gives an equal value.
    const std::string& text() const { return text_; }
    const std::string& scheme() const { return scheme_; }
    /// Lower case; an IPv6 literal without its brackets.
    const std::string& host() const { return host_; }
    /// Explicit or the scheme's own.
    std::uint16_t port() const { return port_; }
    /// "https://host:port", port always written: what a sealed key is bound to.
    std::string origin() const;
    /// The part after the authority, "" or "/v1".
    const std::string& path() const { return path_; }

    /// Is `url` this one or below it: the same bytes up to the end of a segment, and behind them a
    /// path that fits_into_path(), also when it is decoded?
    bool covers(std::string_view url) const;

    friend bool operator==(const BaseUrl&, const BaseUrl&) = default;

private:
    BaseUrl() = default;

    std::string text_;
    std::string scheme_;
    std::string host_;
    std::string path_;
    std::uint16_t port_ = 0;
};

/// Can this text become part of a URL's path and change nothing else in the URL? It has no segment
/// of one or two dots, no backslash, and none of '?', '#' and '%', which would end the path or be
/// decoded again.
bool fits_into_path(std::string_view text);

} // namespace usershell
