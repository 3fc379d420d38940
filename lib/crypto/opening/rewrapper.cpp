#include "crypto/opening/rewrapper.hpp"

#include "crypto/envelope/record.hpp"

namespace usershell::crypto {

Rewrapper::Rewrapper(const VaultSecret& vault, const VaultPublic& target, const WebPublic& web)
    : keys_{vault, web},
      entries_{vault, web, EnvelopeKind::vault_entry},
      installation_{vault.installation},
      recipient_{target.active, target.keys.at(target.active)} {
    if (target.installation != vault.installation || web.installation != vault.installation)
        throw RingError{"The rings are not of one installation."};
}

std::string Rewrapper::rewrap(const SealedRow& row) const {
    const auto key = EnvelopeHeader::parse(row.sealed, EnvelopeKind::key);
    const auto kind = key ? EnvelopeKind::key : EnvelopeKind::vault_entry;
    const auto header = key ? key : EnvelopeHeader::parse(row.sealed, kind);
    if (!header) throw UnsealError{UnsealError::Reason::damaged};
    return seal_signed(kind, recipient_, header->signer, installation_, row.owner,
                       opened(row, kind));
}

/// The signed record, if it was signed for this row.
Secret Rewrapper::opened(const SealedRow& row, EnvelopeKind kind) const {
    if (kind == EnvelopeKind::vault_entry) {
        auto entry = entries_.open<VaultEntryRecord>(row.owner, row.sealed);
        if (entry.record.entry != row.id) throw UnsealError{UnsealError::Reason::moved};
        return std::move(entry.plain);
    }
    auto key = keys_.open<KeyRecord>(row.owner, row.sealed);
    const auto account = row.id == row.provider ? provider_level : std::string_view{row.id};
    if (key.record.provider != row.provider || key.record.account != account)
        throw UnsealError{UnsealError::Reason::moved};
    return std::move(key.plain);
}

} // namespace usershell::crypto
