// The mask under which the database has an authenticator app's secret: it follows from the auth
// ring, the user and the app's salt (sql/0024_factors.sql). Any thread may call.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring/ring.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// 20 bytes, as many as a secret has. Null when the ring has no such key.
std::optional<std::string> app_mask(const AuthSecret& auth, std::string_view ring_key_id,
                                    const UserId& user, const std::string& salt);

} // namespace usershell::crypto
