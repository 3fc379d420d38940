// Key pairs of the rings: the public half that a secret one gives, and which public keys may be
// used at all. Pure functions. Internal to lib/crypto.
#pragma once

#include "crypto/ring/ring_key_id.hpp"
#include "crypto/secret.hpp"

#include <string>
#include <string_view>

namespace usershell::crypto {

/// The Ed25519 key pair of a signing ring's seed: the public file has the public half, and the
/// secret half signs stored records.
struct SigningPair {
    std::string public_key; ///< 32 bytes
    Secret secret_key;      ///< 64 bytes, as libsodium keeps it
};
SigningPair derive_signing_pair(const Secret& seed);

/// The public half of a key in a secret file: X25519, or of a signing ring Ed25519.
std::string public_half(RingRole role, const Secret& key);

/// May anything be sealed to it, or verified with it? Not with a point of small order (what comes
/// of it is known to everybody), and only in the one canonical spelling of a point (of two
/// spellings, the two sides would derive two keys).
bool is_usable_public_key(RingRole role, std::string_view public_key);

} // namespace usershell::crypto
