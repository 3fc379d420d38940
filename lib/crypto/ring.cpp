#include "crypto/ring.hpp"

#include "crypto/bytes.hpp"
#include "crypto/fields.hpp"
#include "crypto/ring_file.hpp"

#include <utility>

#include <sodium.h>

namespace usershell::crypto {

VaultPublic load_vault_public(const std::filesystem::path& file) {
    auto ring = read_ring(file, {.secret = false, .dated = false});
    std::string key{ring.keys.at(ring.active).reveal()};
    return {std::move(ring.active), std::move(key)};
}

VaultSecret load_vault_secret(const std::filesystem::path& file) {
    auto ring = read_ring(file, {.secret = true, .dated = true});
    return {std::move(ring.active), std::move(ring.keys)};
}

WebPublic load_web_public(const std::filesystem::path& file) {
    const auto ring = read_ring(file, {.secret = false, .dated = true});
    WebPublic web{ring.active, {}};
    for (const auto& [id, key] : ring.keys) web.verify_keys.emplace(id, key.reveal());
    return web;
}

WebSecret load_web_secret(const std::filesystem::path& file) {
    auto ring = read_ring(file, {.secret = true, .dated = true});
    return {std::move(ring.active), std::move(ring.keys)};
}

Secret derive_web_key(const Secret& seed, std::string_view purpose, std::string_view user) {
    static_assert(ring_key_size == crypto_generichash_KEYBYTES);
    if (seed.size() != ring_key_size) throw std::invalid_argument{"a ring seed has the wrong size"};
    const auto message = joined({purpose, user});
    auto key = Secret::of_size(crypto_generichash_BYTES);
    crypto_generichash(key.writable().data(), key.size(), bytes_of(message), message.size(),
                       bytes_of(seed.reveal()), seed.size());
    return key;
}

} // namespace usershell::crypto
