// Avatars at rest: XChaCha20-Poly1305 under a subkey a user, derived from the web ring, with
// version, ring key id, user and row id as length-prefixed associated data: a row moved to another
// user does not open. Only usershell-manage has the ring. Any thread may call.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring/ring.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

SealedAvatar seal_avatar(const WebSecret& web, const UserId& user, std::string_view row_id,
                         std::string_view image);

/// Null when the ring has no such key, or bytes, user or row differ from the sealed ones.
std::optional<std::string> open_avatar(const WebSecret& web, const UserId& user,
                                       std::string_view row_id, const SealedAvatar& sealed);

// Ids of what a request makes that may be repeated.

/// A request, and the key under which its client may ask again.
struct RepeatableRequest {
    std::string_view kind; ///< of what it makes
    const UserId& user;
    std::string_view key;
    std::string_view path;
    std::string_view body;
};

/// The form of a random UUID. Its first half comes from user, kind and key, the second one from
/// path and body, by a subkey of the web ring: a body may have a secret. So a repeat has the same
/// id, and one with another body the same first half alone. After a rotation of the ring all is
/// another body.
std::string repeatable_uuid(const WebSecret& web, const RepeatableRequest& request);

} // namespace usershell::crypto
