#include "crypto/opening/rewrapper.hpp"

#include "crypto/envelope/sealers.hpp"

#include <algorithm>
#include <utility>

namespace usershell::crypto {

Rewrapper::Rewrapper(const VaultSecret& vault, const VaultPublic& target, const WebPublic& web,
                     Resign resign)
    : keys_{vault, web},
      entries_{vault, web, EnvelopeKind::vault_entry},
      web_{web},
      resign_{std::move(resign)},
      recipient_{target.active, target.keys.at(target.active)} {
    if (target.installation != vault.installation || web.installation != vault.installation)
        throw RingError{"The rings are not of one installation."};
}

std::string Rewrapper::rewrap(const SealedRow& row) const {
    const auto key = EnvelopeHeader::parse(row.sealed, EnvelopeKind::key);
    const auto kind = key ? EnvelopeKind::key : EnvelopeKind::vault_entry;
    const auto header = key ? key : EnvelopeHeader::parse(row.sealed, kind);
    if (!header) throw UnsealError{UnsealError::Reason::damaged};
    Secret plain = opened(row, kind);
    const auto signer = sign_again(kind, header->signer, plain);
    return seal_signed(kind, recipient_, signer, web_.installation, row.owner, plain);
}

/// Replaces the signature where an earlier key made it. Returns the key that the signature is of.
RingKeyId Rewrapper::sign_again(EnvelopeKind kind, const RingKeyId& signer, Secret& plain) const {
    if (!resign_ || signer == web_.active) return signer;
    const auto [signature, padded] = split_signature(plain.reveal());
    SignedDigest record{kind, signer, digest_of_record(padded), std::string{signature}};
    record.signature = resign_(record);
    record.signer = web_.active;
    if (!is_signed(record, web_.installation, web_.keys.at(web_.active)))
        throw Error{"The new signature is not that of the web ring's active key: web.secret and "
                    "web.public differ."};
    std::ranges::copy(record.signature, plain.writable().begin());
    return record.signer;
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
