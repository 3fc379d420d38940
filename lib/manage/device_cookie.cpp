#include "manage/device_cookie.hpp"

#include "crypto/token.hpp"

namespace usershell {
namespace {

constexpr std::string_view cookie_name = "__Host-usershell-device";
constexpr std::size_t name_bytes = 16;

/// Of every key in the ring, so that a rotation does not make strangers of all browsers.
std::string mark(const Secret& seed, const std::string& email, const std::string& device) {
    const Secret key = derive_web_key(seed, "device", email);
    return base64url(token_hash("device", std::string{key.reveal()} + device));
}

} // namespace

std::optional<std::string> known_device(const Manage& manage, const Request& request,
                                        const std::string& normalized_email) {
    const std::string cookie = request.cookie(cookie_name).value_or("");
    const auto dot = cookie.find('.');
    if (dot == std::string::npos) return std::nullopt;
    const std::string device = cookie.substr(0, dot);
    const std::string given = cookie.substr(dot + 1);
    for (const auto& [id, seed] : manage.web_ring.seeds) {
        if (equal_in_constant_time(mark(seed, normalized_email, device), given)) return device;
    }
    return std::nullopt;
}

void set_device_cookie(Response& response, const Manage& manage,
                       const std::string& normalized_email) {
    const Secret& seed = manage.web_ring.seeds.find(manage.web_ring.active)->second;
    const std::string device = base64url(random_bytes(name_bytes));
    response.set("Set-Cookie", std::string{cookie_name} + "=" + device + "." +
                                   mark(seed, normalized_email, device) +
                                   "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=31536000");
}

} // namespace usershell
