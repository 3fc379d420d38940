// The Ed25519 key pair that a web ring's seed gives: its public half stands in web.public, its
// secret half signs stored keys. Internal to lib/crypto.
#pragma once

#include "crypto/secret.hpp"

#include <string>

namespace usershell::crypto {

struct SigningPair {
    std::string public_key; ///< 32 bytes
    Secret secret_key;      ///< 64 bytes, as libsodium keeps it
};
SigningPair derive_signing_pair(const Secret& seed);

} // namespace usershell::crypto
