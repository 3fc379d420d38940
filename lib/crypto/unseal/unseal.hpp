// Opening stored provider keys: the executing program's alone, in a library of its own. Every check
// is made before a byte of the key is handed out. Thread-safe after construction.
#pragma once

#include "crypto/envelope/key_sealer.hpp"
#include "crypto/opening/envelope_opener.hpp"
#include "crypto/opening/unseal_error.hpp"

namespace usershell::crypto {

/// What may differ between the base URL that a key was entered for and its provider's of today.
enum class AddressRule {
    whole, ///< nothing
    path,  ///< the path, never type, scheme, host or port (the operator's setting)
};

class Unsealer {
public:
    /// Keeps references; both rings outlive the unsealer.
    Unsealer(const VaultSecret& vault, const WebPublic& web, AddressRule rule);

    /// The key, if everything in it agrees with the row it came from. A row that was folded from
    /// the earlier vault (sql/0006_legacy.sql) has that vault's entry in it: it opens in the row
    /// that has the entry's id, for the entry's kind and address; without one of its own, for the
    /// default that the catalogue has for that kind, whole. Throws UnsealError, and nothing else
    /// but std::bad_alloc when memory is short.
    Secret open(const KeyBinding& row, const SealedKey& sealed) const;

private:
    Secret open_entry(const KeyBinding& row, const SealedKey& sealed) const;
    bool may_be_sent_to(std::string_view base_url, const std::string& row_base_url) const;

    EnvelopeOpener opener_;
    EnvelopeOpener entry_opener_;
    AddressRule rule_;
};

} // namespace usershell::crypto
