// Random tokens, their hashes, and anti-forgery tokens. Pure but for the system's random source
// (libsodium); any thread may call.
#pragma once

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

/// Constant-time comparison; false when the sizes differ.
bool equal_in_constant_time(std::string_view a, std::string_view b);

/// Bytes in a random key that anti-forgery tokens are issued under (one a session).
inline constexpr std::size_t antiforgery_key_size = 32;

/// A token of a session: a fresh nonce and its keyed BLAKE2b, so that no two pages show the same
/// bytes (BREACH). Throws Error for a key that is not antiforgery_key_size bytes.
std::string issue_antiforgery(std::string_view key);

/// Constant time over well-formed tokens; false for a key of another size.
bool check_antiforgery(std::string_view key, std::string_view token);

} // namespace usershell::crypto
