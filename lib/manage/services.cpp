#include "manage/services.hpp"

#include "pages/templates.hpp"
#include "store/installation.hpp"

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

} // namespace usershell::manage
