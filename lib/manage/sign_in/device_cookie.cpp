#include "manage/sign_in/device_cookie.hpp"

#include "crypto/token.hpp"

namespace usershell::manage {
namespace {

constexpr std::string_view cookie_name = "__Host-usershell-device";
constexpr std::size_t name_bytes = 16;

/// Of every key in the ring, so that a rotation does not make strangers of all browsers.
std::string mark(const crypto::Secret& seed, const std::string& email, const std::string& device) {
    const crypto::Secret key = crypto::derive_web_key(seed, "device", email);
    return crypto::base64url(crypto::token_hash("device", std::string{key.reveal()} + device));
}

} // namespace

std::optional<std::string> known_device(const Services& services, const web::Request& request,
                                        const std::string& normalized_email) {
    const std::string_view cookie = request.cookie(cookie_name).value_or("");
    const auto dot = cookie.find('.');
    if (dot == std::string_view::npos) return std::nullopt;
    const std::string device{cookie.substr(0, dot)};
    const std::string_view given = cookie.substr(dot + 1);
    for (const auto& [id, seed] : services.web_ring.seeds) {
        if (crypto::equal_in_constant_time(mark(seed, normalized_email, device), given))
            return device;
    }
    return std::nullopt;
}

void set_device_cookie(web::Response& response, const Services& services,
                       const std::string& normalized_email) {
    const crypto::Secret& seed = services.web_ring.seeds.find(services.web_ring.active)->second;
    const std::string device = crypto::base64url(crypto::random_bytes(name_bytes));
    response.set("Set-Cookie", std::string{cookie_name} + "=" + device + "." +
                                   mark(seed, normalized_email, device) +
                                   "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000");
}

} // namespace usershell::manage
