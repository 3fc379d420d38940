// A provider key on its way into the store: sealed, and what may be shown of it. There is no way
// back: role usershell_manage may not select a ciphertext.
#pragma once

#include "crypto/secret.hpp"

#include <string>

namespace usershell::store {

struct StoredKey {
    crypto::SealedKey sealed;
    std::string hint;
    std::string address; ///< type and base URL that it was entered for, not encrypted
};

} // namespace usershell::store
