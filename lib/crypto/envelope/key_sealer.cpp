// Apart from the other sealers, so that the linker leaves it out of usershellctl.
#include "crypto/envelope/record.hpp"
#include "crypto/envelope/sealers.hpp"

namespace usershell::crypto {

KeySealer::KeySealer(const WebSecret& web, const VaultPublic& vault)
    : sealer_{sealer_to(EnvelopeKind::key, web, vault)} {}

SealedKey KeySealer::seal(const KeyBinding& binding, const Secret& key) const {
    return SealedKey{sealer_.seal(binding.owner, {binding.provider.text(), place_of(binding),
                                                  binding.type, binding.base_url, key.reveal()})};
}

std::string key_hint(const Secret& key) {
    const auto text = key.reveal();
    if (text.size() < 12) return "••••";
    const std::string end = "…" + std::string{text.substr(text.size() - 4)};
    return text.size() < 20 ? end : std::string{text.substr(0, 3)} + end;
}

} // namespace usershell::crypto
