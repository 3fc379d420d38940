// Keys on their way into the store: signed, and sealed for their owner and for what they may be
// sent to. One function, used by the provider-level key and by accounts; there is none in the other
// direction.
#pragma once

#include "crypto/secret.hpp"
#include "manage/services.hpp"
#include "store/providers/providers.hpp"

#include <optional>

namespace usershell::manage {

/// The row that a key is for. `account`: nothing for the provider-level key.
struct KeyRow {
    const UserId& owner;
    const ProviderId& provider;
    std::optional<AccountId> account;
};

/// Seals `key` for that row, bound to type and base URL in `fields`.
inline store::StoredKey seal_key(const Services& services, const KeyRow& row,
                                 const store::ProviderFields& fields, const crypto::Secret& key) {
    const crypto::KeyBinding binding{row.owner, row.provider, row.account, fields.type,
                                     fields.base_url};
    return {services.key_sealer.seal(binding, key), crypto::key_hint(key),
            fields.type + " " + fields.base_url};
}

} // namespace usershell::manage
