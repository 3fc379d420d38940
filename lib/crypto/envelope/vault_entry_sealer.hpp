// Sealing keys as entries of the earlier flat vault, for an operator's import. Opening one is
// crypto/unseal's, once the entry was folded into the provider store (sql/0006_legacy.sql).
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealer.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <string>

namespace usershell::crypto {

/// The entry that a key belongs to and where it may be sent.
struct VaultEntryBinding {
    UserId owner;
    VaultEntryId entry;
    std::string kind;     ///< a provider type's value in the catalogue
    std::string base_url; ///< BaseUrl::text(); empty: the catalogue's default for that kind
};

/// Thread-safe after construction.
class VaultEntrySealer {
public:
    /// Signs with the active key of `web`, seals to the active key of `vault`. Throws RingError
    /// when they are not of one installation.
    VaultEntrySealer(const WebSecret& web, const VaultPublic& vault);

    SealedKey seal(const VaultEntryBinding& binding, const Secret& key) const;

private:
    EnvelopeSealer sealer_;
};

} // namespace usershell::crypto
