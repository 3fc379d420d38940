#include "crypto/avatar_box.hpp"

#include "crypto/bytes.hpp"
#include "crypto/token.hpp"

#include <sodium.h>

namespace usershell::crypto {

namespace {

// version ‖ ring key id ‖ nonce ‖ ciphertext and tag
constexpr std::string_view version = "\x01";
constexpr std::size_t nonce_size = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t tag_size = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t head_size = version.size() + RingKeyId::size + nonce_size;

Secret avatar_key(const Secret& seed, const UserId& user) {
    return derive_ring_key(seed, "avatar", user.text());
}

} // namespace

SealedAvatar seal_avatar(const WebSecret& web, const UserId& user, std::string_view row_id,
                         std::string_view image) {
    const auto ring_key = web.active.bytes();
    const auto key = avatar_key(web.keys.at(web.active), user);
    const auto context = length_prefixed({version, ring_key, user.text(), row_id});
    const auto nonce = random_bytes(nonce_size);
    auto sealed = std::string{version} + std::string{ring_key} + nonce;
    sealed.resize(head_size + image.size() + tag_size);
    crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes_of(sealed) + head_size, nullptr, bytes_of(image), image.size(), bytes_of(context),
        context.size(), nullptr, bytes_of(nonce), bytes_of(key.reveal()));
    return SealedAvatar{std::move(sealed)};
}

std::optional<std::string> open_avatar(const WebSecret& web, const UserId& user,
                                       std::string_view row_id, const SealedAvatar& sealed) {
    const auto bytes = std::string_view{sealed.bytes()};
    if (bytes.size() < head_size + tag_size || !bytes.starts_with(version)) return std::nullopt;
    const auto ring_key = bytes.substr(version.size(), RingKeyId::size);
    const auto nonce = bytes.substr(version.size() + RingKeyId::size, nonce_size);
    const auto body = bytes.substr(head_size);
    const auto seed = web.keys.find(RingKeyId::from_bytes(ring_key));
    if (seed == web.keys.end()) return std::nullopt;

    const auto key = avatar_key(seed->second, user);
    const auto context = length_prefixed({version, ring_key, user.text(), row_id});
    std::string image(body.size() - tag_size, '\0');
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(
            bytes_of(image), nullptr, nullptr, bytes_of(body), body.size(), bytes_of(context),
            context.size(), bytes_of(nonce), bytes_of(key.reveal())) != 0)
        return std::nullopt;
    return image;
}

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
