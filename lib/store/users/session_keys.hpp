// The stored form of a session's secrets.
#pragma once

#include <string>

namespace usershell::store {

/// A session has two tokens, one for each pool, so that what passes through usershell-execute opens
/// nothing at usershell-manage. The anti-forgery key is the session's, and both pools check by it.
struct SessionKeys {
    std::string token_hash;       ///< of the token that usershell-manage takes
    std::string calls_token_hash; ///< of the one that usershell-execute takes
    std::string antiforgery_key;
};

} // namespace usershell::store
