// Signing and sealing provider keys: all that the managing program can do with them. There is no
// way back in this file; opening is lib/crypto/unseal, which only usershell-execute links.
//
// A stored key is
//     crypto_box_seal(signer's ring key id ‖ signature ‖ padded record, the user's scope key)
// with the record
//     version ‖ owner ‖ provider ‖ account or "provider" ‖ origin ‖ key
// each length-prefixed, padded (sodium_pad) so that the length of the key shows only in steps of
// 128 bytes, and signed with Ed25519, padding included. The secret half of a scope is
//     crypto_box_seal(version ‖ owner ‖ secret key, the active vault key)
// Thread-safe after construction.
#pragma once

#include "base/ids.hpp"
#include "crypto/ring.hpp"
#include "crypto/secret.hpp"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::crypto {

/// The row that a key belongs to and the host it may be sent to. A sealed key opens for exactly
/// these.
struct KeyBinding {
    UserId owner; ///< for an administrator's global provider: global_owner()
    ProviderId provider;
    std::optional<AccountId> account; ///< nothing: the provider-level key
    std::string origin;               ///< BaseUrl::origin()
};

/// The owner of the global scope: the nil UUID, which no person ever has.
UserId global_owner();

/// A user's key pair as the store keeps it.
struct Scope {
    RingKeyId ring_key;     ///< the vault key its secret hangs on
    std::string public_key; ///< 32 bytes
    SealedScope secret;
    /// 64 bytes: usershell-manage's signature that this public key is that owner's. Without it,
    /// somebody who can write the database could put a public key of their own here and open what
    /// is sealed to it later.
    std::string voucher{};
};

class Sealer {
public:
    /// Signs with the active key of `web`, which is not kept.
    Sealer(VaultPublic vault, const WebSecret& web);

    /// The vault key that new scopes hang on; a scope on another one is due for replacement at the
    /// next write.
    const RingKeyId& active_ring_key() const { return vault_.active; }

    /// A new random key pair for `owner`, its secret half sealed to the active vault key together
    /// with `owner`.
    Scope make_scope(const UserId& owner) const;

    /// True when `voucher` is ours, with the ring's active key, for exactly these. A scope that
    /// nobody vouches for is never sealed to: the caller makes a new one.
    bool vouches_for(const UserId& owner, const RingKeyId& ring_key, const std::string& public_key,
                     const std::string& voucher) const;

    /// `scope_public_key`: 32 bytes from the owner's current scope; std::invalid_argument when it
    /// is no such key.
    SealedKey seal(const KeyBinding& binding, const Secret& key,
                   const std::string& scope_public_key) const;

    /// A mail for the mail sender: `content` bound to the mail's id, signed like a key, sealed to
    /// the active vault key, whose id stands in front.
    SealedMail seal_mail(const std::string& mail_id, std::string_view content) const;

private:
    std::string sign_and_seal(std::initializer_list<std::string_view> fields,
                              const std::string& public_key) const;

    VaultPublic vault_;
    RingKeyId signer_;
    Secret signing_key_;
    std::string verify_key_;
};

/// What may be shown of a key, made once, on write: 20 bytes or more: first 3, "…", last 4; 12 to
/// 19: "…" and last 4; shorter: "••••".
std::string key_hint(const Secret& key);

} // namespace usershell::crypto
