#include "crypto/ring/public_half.hpp"

#include "crypto/bytes.hpp"
#include "crypto/ring/ring.hpp"

#include <algorithm>

#include <sodium.h>

namespace usershell::crypto {

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

} // namespace usershell::crypto
