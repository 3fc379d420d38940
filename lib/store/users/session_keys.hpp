// The stored form of a session's secrets.
#pragma once

#include <string>

namespace usershell::store {

/// A session has a token for each pool, so that what passes through one opens nothing at another.
struct SessionKeys {
    std::string token_hash;           ///< of the token that usershell-manage takes
    std::string calls_token_hash;     ///< of the one that usershell-execute takes
    std::string auth_token_hash;      ///< of the one that usershell-auth takes
    std::string antiforgery_key;      ///< of the forms of usershell-manage, and of calls
    std::string auth_antiforgery_key; ///< of the forms of usershell-auth
};

/// As PostgreSQL reads a value of the type usershell.session_keys. For lib/store.
std::string composite(const SessionKeys& keys);

} // namespace usershell::store
