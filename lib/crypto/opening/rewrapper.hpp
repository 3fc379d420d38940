// Sealing a stored key to another key of the vault ring: the envelope is opened, the signature of
// the record in it is verified, and that record is sealed again byte for byte. A signing key is
// therefore not needed, also where a newer key shall sign: another process signs the digest.
// Thread-safe after construction, if `resign` is.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/opening/envelope_opener.hpp"

#include <functional>
#include <string>

namespace usershell::crypto {

/// The row that an envelope came from.
struct SealedRow {
    UserId owner;
    std::string provider; ///< its id; for an entry of the earlier vault, the entry's
    std::string id;       ///< the account's; for a provider's own key and an entry: as `provider`;
                          ///< for a header: provider, blank, name
    std::string sealed;
};

class Rewrapper {
public:
    /// Returns the signature of the same digest by the web ring's active key.
    using Resign = std::function<std::string(const SignedDigest&)>;

    /// To the active key of `target`. `resign`: asked for each record that an earlier key of `web`
    /// has signed; empty: the signatures stay. Keeps references; the rings outlive it. Throws
    /// RingError when they are not of one installation.
    Rewrapper(const VaultSecret& vault, const VaultPublic& target, const WebPublic& web,
              Resign resign = {});

    /// The same record under the active key. Throws UnsealError when it does not open, is not
    /// signed by us, or was signed for another row. Type and base URL are not checked: a key that
    /// does not open because its provider's address was changed is rewrapped too, and still does
    /// not open. Throws Error for a signature of `resign` that is not the active key's.
    std::string rewrap(const SealedRow& row) const;

private:
    Secret opened(const SealedRow& row, EnvelopeKind kind) const;
    RingKeyId sign_again(EnvelopeKind kind, const RingKeyId& signer, Secret& plain) const;

    EnvelopeOpener keys_;
    EnvelopeOpener entries_;
    const WebPublic& web_;
    Resign resign_;
    RingRecipient recipient_;
};

} // namespace usershell::crypto
