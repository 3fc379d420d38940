#include "manage/sign_in/session_cookie.hpp"

#include "app/guard.hpp"
#include "crypto/token.hpp"

namespace usershell::manage {
namespace {

constexpr std::size_t token_bytes = 32;
constexpr const char* attributes = "; Path=/; Secure; HttpOnly; SameSite=Lax";

} // namespace

FreshToken fresh_session_token() {
    std::string token = crypto::base64url(crypto::random_bytes(token_bytes));
    std::string hash = app::session_token_hash(token);
    return {std::move(token), std::move(hash), crypto::random_bytes(crypto::antiforgery_key_size)};
}

void set_session_cookie(web::Response& response, const std::string& token, bool remembered,
                        const Settings& settings) {
    std::string cookie = std::string{app::session_cookie} + "=" + token + attributes;
    if (remembered) cookie += "; Max-Age=" + std::to_string(settings.session_absolute.count());
    response.set("Set-Cookie", cookie);
}

void clear_session_cookie(web::Response& response) {
    response.set("Set-Cookie", std::string{app::session_cookie} + "=" + attributes + "; Max-Age=0");
}

} // namespace usershell::manage
