// Sealing a stored key to another key of the vault ring: the envelope is opened, the signed record
// in it is verified, and that record is sealed again byte for byte. The signing key is therefore
// not needed. Thread-safe after construction.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealer.hpp"
#include "crypto/opening/envelope_opener.hpp"

#include <string>

namespace usershell::crypto {

/// The row that an envelope came from.
struct SealedRow {
    UserId owner;
    std::string provider; ///< its id; for an entry of the earlier vault, the entry's
    std::string id;       ///< the account's; for a provider's own key and an entry: as `provider`
    std::string sealed;
};

class Rewrapper {
public:
    /// To the active key of `target`. Keeps references; the rings outlive it. Throws RingError when
    /// they are not of one installation.
    Rewrapper(const VaultSecret& vault, const VaultPublic& target, const WebPublic& web);

    /// The same record under the active key. Throws UnsealError when it does not open, is not
    /// signed by us, or was signed for another row. Type and base URL are not checked: a key that
    /// does not open because its provider's address was changed is rewrapped too, and still does
    /// not open.
    std::string rewrap(const SealedRow& row) const;

private:
    Secret opened(const SealedRow& row, EnvelopeKind kind) const;

    EnvelopeOpener keys_;
    EnvelopeOpener entries_;
    InstallationId installation_;
    RingRecipient recipient_;
};

} // namespace usershell::crypto
