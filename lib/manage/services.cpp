#include "manage/services.hpp"

#include "base/logging/log.hpp"
#include "domain/catalogue.hpp"
#include "pages/templates.hpp"
#include "store/installation.hpp"
#include "store/providers/legacy.hpp"

#include <array>

namespace usershell::manage {

Services::Services(const Settings& given)
    : settings{given},
      database{given.database, given.database_connections},
      pages{pages::load_pages(given.templates, given.catalogue_base_url, given.api)},
      web_ring{crypto::load_ring<crypto::WebSecret>(given.web_secret)},
      vault_ring{crypto::load_ring<crypto::VaultPublic>(given.vault_public)},
      key_sealer{web_ring, vault_ring},
      egress{given.egress_allow},
      decode_permits{2, 0, "Too many pictures are being checked. Try again in a moment."_en} {}

std::vector<crypto::RingSummary> Services::rings() const {
    return {crypto::summary_of(web_ring), crypto::summary_of(vault_ring)};
}

void Services::require_store() { store::require_store(database, rings()); }

namespace {

/// The catalogue's own default and not the operator's: the key was entered for that one, and
/// usershell-execute, which opens it, computes no other.
std::vector<store::LegacyKind> legacy_kinds() {
    std::vector<store::LegacyKind> kinds;
    for (const ProviderType& type : provider_types())
        kinds.push_back({type.value, type.label, type.default_base_url, type.owns_base_url});
    return kinds;
}

} // namespace

void fold_legacy_vault(Services& services) try {
    const auto kinds = legacy_kinds();
    store::Lease lease{services.database};
    int folded = 0, left = 0;
    auto next = global_owner();
    while (const auto fold = store::fold_legacy_vault(lease, next, kinds)) {
        folded += fold->folded;
        left += fold->newly_left;
        next = fold->owner;
        lease.release();
    }
    if (folded != 0) log(Level::notice, "older keys folded", {{"entries", std::to_string(folded)}});
    if (left != 0)
        log(Level::warning, "older keys did not fit", {{"entries", std::to_string(left)}});
} catch (const std::exception& error) {
    log(Level::warning, "older keys not folded", {{"error", loggable(error)}});
}

Sentence older_keys_note(int count) {
    constexpr std::array words{"Two"_en,   "Three"_en, "Four"_en, "Five"_en, "Six"_en,
                               "Seven"_en, "Eight"_en, "Nine"_en, "Ten"_en};
    if (count <= 0) return {};
    if (count == 1) return "One older key did not fit."_en;
    const auto at = static_cast<std::size_t>(count) - 2;
    const auto number = at < words.size() ? Sentence::Value{"number", words.at(at)}
                                          : Sentence::Value{"number", std::to_string(count)};
    return {"{number} older keys did not fit."_en, {number}};
}

} // namespace usershell::manage
