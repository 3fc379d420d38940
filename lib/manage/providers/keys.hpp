// Keys on their way into the store: validated, signed, sealed to the user's scope. One function,
// used by the provider-level key and by accounts; there is none in the other direction.
#pragma once

#include "crypto/seal.hpp"
#include "crypto/secret.hpp"
#include "manage/services.hpp"
#include "store/providers/providers.hpp"

namespace usershell::manage {

/// Seals `key` for that row, making the user's scope when there is none yet, its vault key is not
/// the active one any more, or nobody vouches for it.
store::StoredKey seal_key(const Services& services, store::Lease& lease,
                          const crypto::KeyBinding& binding, const crypto::Secret& key);

} // namespace usershell::manage
