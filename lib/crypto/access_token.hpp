// Access tokens, by which a person's tools call through the stored keys. A token is "ush_" and 66
// base62 digits: 60 of a public selector (12 bytes) and a secret (32 bytes) as one big-endian
// number, and 6 of the CRC-32 (ISO 3309, as zlib has it) of all before. By the checksum a scanner
// of sources, and parse(), refuse a typing error without a query.
//
// The secret never leaves the program that reads it. A program presents the verifier:
// BLAKE2b-256, keyed by the secret, over the length-prefixed ("usershell token verifier 1",
// installation, selector). The database stores the SHA-256 of that. Pure but for the system's
// random source; any thread may call.
#pragma once

#include "base/ids.hpp"
#include "base/wiping.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// The two parts of a token that a program gives to the store.
struct TokenProof {
    std::string selector;
    std::string verifier;
};

struct NewAccessToken {
    WipedString text; ///< shown once, to its owner
    TokenProof proof;
};

NewAccessToken new_access_token(const InstallationId& installation);

/// The form alone: may `text` be a token? Its checksum is right.
bool is_access_token(std::string_view text);

/// Null when `text` is no token.
std::optional<TokenProof> prove_access_token(const InstallationId& installation,
                                             std::string_view text);

/// The first characters of each token with this selector, by which its owner recognises it.
std::string access_token_hint(std::string_view selector);

} // namespace usershell::crypto
