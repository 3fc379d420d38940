#include "crypto/app_mask.hpp"

namespace usershell::crypto {

std::optional<std::string> app_mask(const AuthSecret& auth, std::string_view ring_key_id,
                                    const UserId& user, const std::string& salt) {
    constexpr std::size_t mask_size = 20;
    const auto id = RingKeyId::parse(ring_key_id);
    const auto seed = id ? auth.keys.find(*id) : auth.keys.end();
    if (seed == auth.keys.end()) return std::nullopt;
    const auto key = derive_ring_key(seed->second, "app", user.text() + salt);
    return std::string{key.reveal().substr(0, mask_size)};
}

} // namespace usershell::crypto
