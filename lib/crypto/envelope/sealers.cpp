#include "crypto/envelope/sealers.hpp"

#include "crypto/envelope/record.hpp"

namespace usershell::crypto {

VaultEntrySealer::VaultEntrySealer(const WebSecret& web, const VaultPublic& vault)
    : sealer_{sealer_to(EnvelopeKind::vault_entry, web, vault)} {}

SealedKey VaultEntrySealer::seal(const VaultEntryBinding& binding, const Secret& key) const {
    return SealedKey{sealer_.seal(
        binding.owner, {binding.entry.text(), binding.kind, binding.base_url, key.reveal()})};
}

MailSealer::MailSealer(const AuthSecret& auth, const MailPublic& mail)
    : sealer_{sealer_to(EnvelopeKind::mail, auth, mail)} {}

SealedMail MailSealer::seal(const MailBinding& binding, std::string_view content) const {
    const auto valid_until = std::to_string(binding.valid_until.time_since_epoch().count());
    return SealedMail{sealer_.seal(binding.owner, {binding.mail.text(), valid_until, content})};
}

} // namespace usershell::crypto
