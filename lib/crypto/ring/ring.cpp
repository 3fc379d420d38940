#include "crypto/ring/ring.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "crypto/bytes.hpp"
#include "crypto/ring/ring_text.hpp"

#include <algorithm>
#include <utility>

#include <sodium.h>

namespace usershell::crypto {

namespace {

constexpr std::string_view fingerprint_context = "usershell ring key 1";

} // namespace

std::string_view name_of(RingRole role) {
    switch (role) {
    case RingRole::vault:
        return "vault";
    case RingRole::web:
        return "web";
    case RingRole::auth:
        return "auth";
    case RingRole::mail:
        break;
    }
    return "mail";
}

std::optional<RingKeyId> RingKeyId::parse(std::string_view digits) {
    const bool well_formed = digits.size() == 2 * size &&
                             digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    std::string bytes(size, '\0');
    if (!well_formed || sodium_hex2bin(bytes_of(bytes), bytes.size(), digits.data(), digits.size(),
                                       nullptr, nullptr, nullptr) != 0)
        return std::nullopt;
    return from_bytes(bytes);
}

RingKeyId RingKeyId::from_bytes(std::string_view bytes) {
    if (bytes.size() != size) throw Error{"a ring key id has the wrong size"};
    RingKeyId id;
    std::ranges::copy(bytes, id.bytes_.begin());
    return id;
}

std::string RingKeyId::text() const { return hex(bytes()); }

RingKeyId fingerprint(RingRole role, const InstallationId& installation,
                      std::string_view public_key) {
    const auto message =
        length_prefixed({fingerprint_context, name_of(role), installation.text(), public_key});
    std::string hash(RingKeyId::size, '\0');
    crypto_generichash(bytes_of(hash), hash.size(), bytes_of(message), message.size(), nullptr, 0);
    return RingKeyId::from_bytes(hash);
}

template <class Wanted>
Wanted load_ring(const std::filesystem::path& file) {
    auto read = read_ring(file, Wanted::kind);
    Wanted ring{std::move(read.installation), read.active, {}};
    if constexpr (Wanted::kind.secret)
        ring.keys = std::move(read.keys);
    else
        for (const auto& [id, key] : read.keys) ring.keys.emplace(id, key.reveal());
    return ring;
}

template VaultPublic load_ring<VaultPublic>(const std::filesystem::path&);
template VaultSecret load_ring<VaultSecret>(const std::filesystem::path&);
template WebPublic load_ring<WebPublic>(const std::filesystem::path&);
template WebSecret load_ring<WebSecret>(const std::filesystem::path&);
template AuthPublic load_ring<AuthPublic>(const std::filesystem::path&);
template AuthSecret load_ring<AuthSecret>(const std::filesystem::path&);
template MailPublic load_ring<MailPublic>(const std::filesystem::path&);
template MailSecret load_ring<MailSecret>(const std::filesystem::path&);

std::string fingerprint_of(const RingSummary& ring) {
    std::string ids;
    for (const auto& id : ring.ids) ids += id.text();
    if (ring.uses_active) ids += "/" + ring.active.text(); // no list of ids has that form
    return fingerprint(ring.role, ring.installation, ids).text();
}

bool is_fingerprint_of(std::string_view fingerprint, RingSummary ring) {
    for (const bool uses_active : {true, false}) {
        ring.uses_active = uses_active;
        if (fingerprint == fingerprint_of(ring)) return true;
    }
    return false;
}

Secret derive_ring_key(const Secret& seed, std::string_view purpose, std::string_view user) {
    static_assert(ring_key_size == crypto_generichash_KEYBYTES);
    if (seed.size() != ring_key_size) throw Error{"a ring seed has the wrong size"};
    const auto message = length_prefixed({purpose, user});
    auto key = Secret::of_size(crypto_generichash_BYTES);
    crypto_generichash(key.writable().data(), key.size(), bytes_of(message), message.size(),
                       bytes_of(seed.reveal()), seed.size());
    return key;
}

namespace {

/// Less than 2^255 - 19, the field's prime: bytes are little-endian.
bool is_canonical_x25519(std::string_view key) {
    const auto byte = [key](std::size_t at) { return static_cast<unsigned char>(key[at]); };
    if (byte(31) > 0x7f) return false;
    const bool high_ones = byte(31) == 0x7f && std::ranges::all_of(key.substr(1, 30), [](char c) {
                               return static_cast<unsigned char>(c) == 0xff;
                           });
    return !high_ones || byte(0) < 0xed;
}

/// libsodium refuses points of small order, whatever the scalar.
bool has_small_order_x25519(std::string_view key) {
    constexpr std::string_view any_scalar = "any 32 bytes will do as a scalar";
    static_assert(any_scalar.size() == crypto_scalarmult_SCALARBYTES);
    std::string product(crypto_scalarmult_BYTES, '\0');
    return crypto_scalarmult(bytes_of(product), bytes_of(any_scalar), bytes_of(key)) != 0;
}

} // namespace

SigningPair derive_signing_pair(const Secret& seed) {
    const auto signing_seed = derive_ring_key(seed, "sign");
    static_assert(crypto_sign_SEEDBYTES == crypto_generichash_BYTES);
    SigningPair pair{std::string(crypto_sign_PUBLICKEYBYTES, '\0'),
                     Secret::of_size(crypto_sign_SECRETKEYBYTES)};
    crypto_sign_seed_keypair(bytes_of(pair.public_key), pair.secret_key.writable().data(),
                             bytes_of(signing_seed.reveal()));
    return pair;
}

std::string public_half(RingRole role, const Secret& key) {
    if (signs(role)) return derive_signing_pair(key).public_key;
    std::string half(crypto_scalarmult_BYTES, '\0');
    crypto_scalarmult_base(bytes_of(half), bytes_of(key.reveal()));
    return half;
}

bool is_usable_public_key(RingRole role, std::string_view public_key) {
    if (public_key.size() != ring_key_size) return false;
    if (signs(role)) return crypto_core_ed25519_is_valid_point(bytes_of(public_key)) == 1;
    return is_canonical_x25519(public_key) && !has_small_order_x25519(public_key);
}

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
