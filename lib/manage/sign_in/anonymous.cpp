#include "manage/sign_in/anonymous.hpp"

#include "crypto/token.hpp"

namespace usershell::manage {
namespace {

constexpr std::string_view cookie_name = "__Host-usershell-visitor";
constexpr const char* attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=";
constexpr std::size_t cookie_bytes = 32;

std::string key_of(const crypto::WebSecret& ring, std::string_view cookie) {
    const crypto::Secret key =
        crypto::derive_web_key(ring.seeds.find(ring.active)->second, "login-antiforgery", cookie);
    return std::string{key.reveal()};
}

std::optional<std::string_view> visitor_cookie(const web::Request& request) {
    const auto cookie = request.cookie(cookie_name);
    const auto bytes = cookie ? crypto::from_base64url(*cookie) : std::nullopt;
    if (!bytes || bytes->size() != cookie_bytes) return std::nullopt;
    return cookie;
}

} // namespace

std::optional<std::string> anonymous_antiforgery_key(const crypto::WebSecret& ring,
                                                     const web::Request& request) {
    const auto cookie = visitor_cookie(request);
    if (!cookie) return std::nullopt;
    return key_of(ring, *cookie);
}

Visitor visitor_of(const crypto::WebSecret& ring, const web::Request& request) {
    if (const auto cookie = visitor_cookie(request)) return {key_of(ring, *cookie), std::nullopt};
    const std::string fresh = crypto::base64url(crypto::random_bytes(cookie_bytes));
    return {key_of(ring, fresh), std::string{cookie_name} + "=" + fresh + attributes + "3600"};
}

std::string clear_visitor_cookie() { return std::string{cookie_name} + "=" + attributes + "0"; }

} // namespace usershell::manage
