#include "crypto/repeatable_id.hpp"

#include "crypto/bytes.hpp"
#include "crypto/length_prefixed.hpp"
#include "crypto/token.hpp"

#include <sodium.h>

namespace usershell::crypto {

std::string repeatable_uuid(const WebSecret& web, const RepeatableRequest& request) {
    const std::string id = uuid_from(request.kind, request.user.text() + std::string{request.key});
    const Secret subkey =
        derive_ring_key(web.keys.at(web.active), "repeatable request", request.user.text());
    std::string digest(crypto_generichash_BYTES, '\0');
    crypto_generichash_state state{};
    const std::string_view secret = subkey.reveal();
    crypto_generichash_init(&state, bytes_of(secret), secret.size(), digest.size());
    const std::string head = length_prefixed({request.kind, request.path});
    for (const std::string_view part : {std::string_view{head}, request.body})
        crypto_generichash_update(&state, bytes_of(part), part.size());
    crypto_generichash_final(&state, bytes_of(digest), digest.size());
    constexpr std::size_t half = 18; // "xxxxxxxx-xxxx-4xxx"
    return id.substr(0, half) + uuid_from("second half", digest).substr(half);
}

} // namespace usershell::crypto
