#include "manage/services.hpp"

#include "app/pages/load.hpp"
#include "store/installation.hpp"

namespace usershell::manage {
namespace {

std::optional<crypto::MailPublic> load_mail_ring(const Settings& settings) {
    if (!settings.mail_configured()) return std::nullopt;
    return crypto::load_ring<crypto::MailPublic>(settings.mail_public);
}

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database, given.database_connections},
      pages{app::load_pages(given.templates, given.catalogue_base_url)},
      web_ring{crypto::load_ring<crypto::WebSecret>(given.web_secret)},
      vault_ring{crypto::load_ring<crypto::VaultPublic>(given.vault_public)},
      mail_ring{load_mail_ring(given)},
      key_sealer{web_ring, vault_ring},
      passwords{crypto::PasswordCost{given.password_opslimit, given.password_memlimit},
                "Many people are signing in just now. Try again in a moment."},
      password_rule{given.common_passwords, given.base_url},
      password_checks{given.metrics_folder},
      egress{given.egress_allow},
      decode_permits{2, 0, "Too many pictures are being checked. Try again in a moment."} {
    if (mail_ring) mails.emplace(pages, crypto::MailSealer{web_ring, *mail_ring}, given.base_url);
}

void Services::require_store() {
    std::vector rings{crypto::summary_of(web_ring), crypto::summary_of(vault_ring)};
    if (mail_ring) rings.push_back(crypto::summary_of(*mail_ring));
    store::require_store(database, rings);
}

} // namespace usershell::manage
