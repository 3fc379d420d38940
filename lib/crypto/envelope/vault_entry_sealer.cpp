#include "crypto/envelope/vault_entry_sealer.hpp"

namespace usershell::crypto {

VaultEntrySealer::VaultEntrySealer(const WebSecret& web, const VaultPublic& vault)
    : sealer_{sealer_to(EnvelopeKind::vault_entry, web, vault)} {}

SealedKey VaultEntrySealer::seal(const VaultEntryBinding& binding, const Secret& key) const {
    return SealedKey{sealer_.seal(
        binding.owner, {binding.entry.text(), binding.kind, binding.base_url, key.reveal()})};
}

} // namespace usershell::crypto
