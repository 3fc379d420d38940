// Cookies as this service sets them. All are alike: of this host alone, for every path, over TLS
// only, out of reach of scripts, and not sent by other sites' forms; browsers refuse one whose name
// begins with "__Host-" if it is set otherwise (RFC 6265bis, 4.1.3.2). Request::cookie() reads
// them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::web {

struct Cookie {
    std::string_view name; ///< "__Host-…"
    std::string value;     ///< letters, digits and the marks of RFC 6265's cookie-octet
    /// Nothing: until the browser is closed. Zero: the browser forgets the cookie.
    std::optional<std::chrono::seconds> max_age{};
};

/// The cookie that makes a browser forget that of this name.
Cookie forgotten(std::string_view name);

/// The value of a Set-Cookie header. Throws Error for a name without the prefix and
/// a value that could be read as more than a value.
std::string set_cookie_value(const Cookie& cookie);

} // namespace usershell::web
