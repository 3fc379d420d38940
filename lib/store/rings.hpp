// The ring keys that the store knows: which are registered, how many rows depend on each, and which
// stored keys are to be sealed to another.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring/ring.hpp"
#include "store/database/database.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// The number of values sealed to a key, signed, encrypted or masked by it.
struct RingUses {
    long long keys = 0; ///< of providers and accounts
    long long legacy = 0;
    long long mails = 0;
    long long avatars = 0;
    long long apps = 0; ///< of authenticators

    bool any() const { return keys + legacy + mails + avatars + apps != 0; }
};

/// By id, for every key that is registered or that some row depends on. Role usershell_owner.
std::map<std::string, RingUses> ring_uses(Lease& lease);

/// Role usershell_owner. A program that holds a key which is not registered does not start.
void register_key(Lease& lease, crypto::RingRole role, const crypto::RingKeyId& id);
/// Unregisters the key: nothing can be stored that is sealed to it. Before the commit `look` is
/// called with the rows that depend on it; if it throws, the key stays registered.
void forget_key(Lease& lease, const crypto::RingKeyId& id,
                const std::function<void(const RingUses&)>& look);

/// The ring keys that stored keys shall be sealed to and signed by.
struct RewrapTarget {
    crypto::RingKeyId vault;
    std::optional<crypto::RingKeyId> web; ///< null: any signer is right
};

/// A stored key that is sealed to another ring key than the target's or signed by another one.
struct KeyToRewrap {
    std::string kind; ///< "provider", "account" or "legacy"
    UserId owner;
    std::string provider;
    std::string id;
    std::string sealed;
};
/// At most `most` of them, in the order of owner and id, after the given ones. Role
/// usershell_rewrap.
std::vector<KeyToRewrap> keys_to_rewrap(Lease& lease, const RewrapTarget& target, int most,
                                        const UserId& owner, const std::string& id);
/// Replaces the key's envelope. False, without a change, when the stored key has been replaced, or
/// the new envelope has another kind or size, or is not to a registered key of the vault ring and
/// signed by one of the web ring.
bool swap_envelope(Lease& lease, const KeyToRewrap& key, const std::string& sealed);

/// An avatar that a key of the web ring encrypts. Role usershell_owner, as are these two.
struct AvatarOfRing {
    UserId owner;
    std::string id;
    std::string sealed;
};
/// The next one of that key, in the order of owners, after the given one.
std::optional<AvatarOfRing> next_avatar(Lease& lease, const crypto::RingKeyId& key,
                                        const UserId& after);
/// Replaces what is sealed, unless the user has saved or removed an avatar since.
void swap_avatar(Lease& lease, const AvatarOfRing& avatar, const std::string& sealed);

/// An authenticator app whose mask follows from a key of the auth ring; the functions are as above.
struct AppOfRing {
    UserId owner;
    std::string salt;
};
std::optional<AppOfRing> next_app(Lease& lease, const crypto::RingKeyId& key, const UserId& after);
/// Puts the secret under the mask of another key, unless the user has replaced or removed the app
/// since.
void swap_app_mask(Lease& lease, const AppOfRing& app, const crypto::RingKeyId& key,
                   const std::string& old_mask, const std::string& mask);

} // namespace usershell::store
