// Answers requests: has the store begin a call or find its next key, and opens what the call may
// use now. A call that has not begun has no key opened. Any thread.
#pragma once

#include "crypto/unseal/unseal.hpp"
#include "opener/wire/protocol.hpp"
#include "store/call_starts.hpp"
#include "store/database/database.hpp"

#include <optional>

namespace usershell::opener {

/// The provider with its headers opened, and the first key that a call tries; `only`: that
/// account's alone. A header that does not open ends a call, so no key is opened then. Nothing is
/// opened for a provider that can't be called.
OpenedProvider with_first_key(const crypto::Unsealer& unsealer, const UserId& owner,
                              store::SealedProvider sealed, const std::optional<AccountId>& only);

/// One statement. A key that does not open is part of the answer. Throws what the store throws, and
/// std::bad_alloc.
Answer answer(store::Database& database, const crypto::Unsealer& unsealer, const Request& request);

} // namespace usershell::opener
