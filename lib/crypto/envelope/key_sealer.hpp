// Sealing provider keys: all that the managing program can do with them. There is no way back in
// this file; opening is lib/crypto/opening, which usershell-manage does not link.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealer.hpp"
#include "crypto/ring/ring.hpp"
#include "crypto/secret.hpp"

#include <optional>
#include <string>

namespace usershell::crypto {

/// The row that a key belongs to and where it may be sent. A sealed key opens for exactly these.
struct KeyBinding {
    UserId owner; ///< for an administrator's global provider: global_owner()
    ProviderId provider;
    std::optional<AccountId> account; ///< nothing: the provider-level key
    std::string type;                 ///< the provider type's value in the catalogue
    std::string base_url;             ///< BaseUrl::text(), all of it
};

/// Thread-safe after construction.
class KeySealer {
public:
    /// Signs with the active key of `web`, seals to the active key of `vault`. Throws RingError
    /// when they are not of one installation.
    KeySealer(const WebSecret& web, const VaultPublic& vault);

    SealedKey seal(const KeyBinding& binding, const Secret& key) const;

private:
    EnvelopeSealer sealer_;
};

/// What may be shown of a key, made once, on write: 20 bytes or more: first 3, "…", last 4; 12 to
/// 19: "…" and last 4; shorter: "••••".
std::string key_hint(const Secret& key);

} // namespace usershell::crypto
