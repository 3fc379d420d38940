#include "web/cookie.hpp"

#include "base/error.hpp"

#include <algorithm>

namespace usershell::web {

namespace {

/// RFC 6265, 4.1.1.
bool is_cookie_octet(char c) {
    return c > ' ' && c < 0x7f && c != '"' && c != ',' && c != ';' && c != '\\';
}

} // namespace

Cookie forgotten(std::string_view name) { return {name, "", std::chrono::seconds{0}}; }

std::string set_cookie_value(const Cookie& cookie) {
    if (!cookie.name.starts_with("__Host-")) throw Error{"a cookie's name lacks its prefix"};
    if (!std::ranges::all_of(cookie.value, is_cookie_octet))
        throw Error{"a cookie's value has a character that can't stand there"};
    std::string text = std::string{cookie.name} + "=" + cookie.value;
    text += "; Path=/; Secure; HttpOnly; SameSite=Lax";
    if (cookie.max_age) text += "; Max-Age=" + std::to_string(cookie.max_age->count());
    return text;
}

} // namespace usershell::web
