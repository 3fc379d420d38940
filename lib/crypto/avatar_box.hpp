// Avatars at rest: XChaCha20-Poly1305 under a subkey a user, derived from the web ring, with
// version, ring key id, user and row id as length-prefixed associated data: a row moved to another
// user does not open. Only usershell-manage has the ring. Thread-safe after construction.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring/ring.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

class AvatarBox {
public:
    /// Keeps a reference; the ring outlives the box.
    explicit AvatarBox(const WebSecret& web);

    SealedAvatar seal(const UserId& user, std::string_view row_id, std::string_view image) const;

    /// Null when the ring has no such key, or bytes, user or row differ from the sealed ones.
    std::optional<std::string> open(const UserId& user, std::string_view row_id,
                                    const SealedAvatar& sealed) const;

private:
    const WebSecret& web_;
};

} // namespace usershell::crypto
