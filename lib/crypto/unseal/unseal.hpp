// Opening stored provider keys: usershell-opener's alone. Every check is made before a byte of the
// key is handed out. Thread-safe after construction.
#pragma once

#include "crypto/envelope/sealers.hpp"
#include "crypto/opening/envelope_opener.hpp"

namespace usershell::crypto {

/// How the provider's base URL may differ from the one that a key was entered for.
enum class AddressRule {
    whole, ///< not at all
    path,  ///< the path, never type, scheme, host or port (the operator's setting)
};

class Unsealer {
public:
    /// Keeps references; both rings outlive the unsealer.
    Unsealer(const VaultSecret& vault, const WebPublic& web, AddressRule rule);

    /// The key, if everything that was signed with it agrees with the row it came from. A row that
    /// came from the earlier vault (sql/0018_legacy.sql) still holds the envelope of a vault entry.
    /// Such a key opens only in the row whose id is the entry's, and only for the entry's kind and
    /// base URL; an entry without a base URL opens for the catalogue's default of its kind,
    /// whatever `rule` is. Throws UnsealError, and nothing else but std::bad_alloc when memory is
    /// short.
    Secret open(const KeyBinding& row, const SealedKey& sealed) const;

private:
    Secret open_entry(const KeyBinding& row, const SealedKey& sealed) const;
    bool may_be_sent_to(std::string_view base_url, const std::string& row_base_url) const;

    mutable VerifiedEnvelopes verified_;
    EnvelopeOpener opener_;
    EnvelopeOpener entry_opener_;
    AddressRule rule_;
};

} // namespace usershell::crypto
