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

} // namespace usershell::crypto
