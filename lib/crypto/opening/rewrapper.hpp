// Sealing a stored key to another key of the vault ring: the envelope is opened, the signed record
// in it is verified and kept byte for byte, and sealed anew. What signs is not needed, and nothing
// is changed that is signed. Thread-safe after construction.
#pragma once

#include "base/ids.hpp"
#include "crypto/envelope/sealer.hpp"
#include "crypto/opening/envelope_opener.hpp"

#include <string>

namespace usershell::crypto {

/// The row that an envelope came from.
struct SealedRow {
    UserId owner;
    std::string provider; ///< its id; of an entry of the earlier vault that one's
    std::string id;       ///< the account's; of a provider's own key and of an entry `provider`
    std::string sealed;
};

class Rewrapper {
public:
    /// To the active key of `target`. Keeps references; the rings outlive it. Throws RingError when
    /// they are not of one installation.
    Rewrapper(const VaultSecret& vault, const VaultPublic& target, const WebPublic& web);

    /// The same record under the active key. Throws UnsealError when it does not open, is not
    /// signed by us, or was signed for another row. Type and address are not looked at: a key that
    /// is held back, as its provider points elsewhere, stays one.
    std::string rewrap(const SealedRow& row) const;

private:
    OpenedRecord opened(const SealedRow& row, EnvelopeKind kind) const;

    EnvelopeOpener keys_;
    EnvelopeOpener entries_;
    InstallationId installation_;
    RingRecipient recipient_;
};

} // namespace usershell::crypto
