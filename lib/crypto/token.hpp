// Random tokens, their hashes, and anti-forgery tokens. Pure but for the system's random source
// (libsodium); any thread may call.
#pragma once

#include "base/ids.hpp"
#include "base/wiping.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// `size` random bytes.
std::string random_bytes(std::size_t size);

/// A random UUID (RFC 9562 version 4) in text form; feed it to an Id's parse().
std::string random_uuid();

/// The UUID in text form that `text` always has for that purpose.
std::string uuid_from(std::string_view purpose, std::string_view text);

template <class IdType>
IdType random_id() {
    return *IdType::parse(random_uuid());
}

/// RFC 4648 base64url without padding.
std::string base64url(std::string_view bytes);
/// Nothing for anything but canonical unpadded base64url.
std::optional<std::string> from_base64url(std::string_view text);

/// BLAKE2b-256 of a token, bound to its purpose ("session", "email-change", "password-reset", …):
/// what the store keeps in place of the token.
std::string token_hash(std::string_view purpose, std::string_view token);

/// 32 bytes.
std::string sha256(std::string_view bytes);

/// Constant-time comparison; false when the sizes differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// Bytes in a random key that anti-forgery tokens are issued under (one a session).
inline constexpr std::size_t antiforgery_key_size = 32;

/// A token of a session: a fresh nonce and its keyed BLAKE2b, so that no two pages show the same
/// bytes (BREACH). Throws Error for a key that is not antiforgery_key_size bytes.
std::string issue_antiforgery(std::string_view key);

/// Constant time over well-formed tokens; false for a key of another size.
bool check_antiforgery(std::string_view key, std::string_view token);

// Access tokens, by which a person's tools call through the stored keys. A token is "ush_" and 66
// base62 digits: 60 of a public selector (12 bytes) and a secret (32 bytes) as one big-endian
// number, and 6 of the CRC-32 (ISO 3309, as zlib has it) of all before. By the checksum a scanner
// of sources, and parse(), refuse a typing error without a query.
//
// The secret never leaves the program that reads it. A program presents the verifier:
// BLAKE2b-256, keyed by the secret, over the length-prefixed ("usershell token verifier 1",
// installation, selector). The database stores the SHA-256 of that. Pure but for the system's
// random source; any thread may call.

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
