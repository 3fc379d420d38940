// The keys of the rings as the store knows them: which are registered, what hangs on each, and what
// is to be sealed to another.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring/ring_key_id.hpp"
#include "store/database/database.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace usershell::store {

/// What was sealed to a key, signed or encrypted by it.
struct RingUses {
    long long keys = 0; ///< of providers and accounts
    long long legacy = 0;
    long long mails = 0;
    long long avatars = 0;

    bool any() const { return keys + legacy + mails + avatars != 0; }
};

/// By id, of every key that is registered or that anything hangs on. Role usershell_owner.
std::map<std::string, RingUses> ring_uses(Lease& lease);

/// Role usershell_owner. A program that holds a key which is not registered does not start.
void register_key(Lease& lease, crypto::RingRole role, const crypto::RingKeyId& id);
/// Nothing can be sealed to it from then on. `look` is told what hangs on it before that is
/// committed; if it throws, the key stays.
void forget_key(Lease& lease, const crypto::RingKeyId& id,
                const std::function<void(const RingUses&)>& look);

/// A key that is sealed to another key of the vault ring.
struct KeyToRewrap {
    std::string place; ///< "provider", "account" or "legacy"
    UserId owner;
    std::string provider;
    std::string id;
    std::string sealed;
};
/// The next ones behind `owner` and `id`, in the order of these. Role usershell_rewrap.
std::vector<KeyToRewrap> keys_to_rewrap(Lease& lease, const crypto::RingKeyId& target, int most,
                                        const UserId& owner, const std::string& id);
/// False when the key is another one by now, or the envelopes are not of one record.
bool swap_envelope(Lease& lease, const KeyToRewrap& key, const std::string& sealed);

} // namespace usershell::store
