// Ids of what a request makes that may be repeated.
#pragma once

#include "crypto/ring/ring.hpp"

#include <string>
#include <string_view>

namespace usershell::crypto {

/// What a request asks, and the key under which its client may ask again.
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
