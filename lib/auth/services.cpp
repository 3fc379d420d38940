#include "auth/services.hpp"

#include "pages/templates.hpp"
#include "store/installation.hpp"

namespace usershell::auth {
namespace {

std::optional<crypto::MailPublic> load_mail_ring(const Settings& settings) {
    if (!settings.mail_configured()) return std::nullopt;
    return crypto::load_ring<crypto::MailPublic>(settings.mail_public);
}

} // namespace

Services::Services(const Settings& given)
    : settings{given},
      database{given.database, given.database_connections},
      pages{pages::load_pages(given.templates, {}, given.api)},
      auth_ring{crypto::load_ring<crypto::AuthSecret>(given.auth_secret)},
      mail_ring{load_mail_ring(given)},
      passwords{crypto::PasswordCost{given.password_opslimit, given.password_memlimit},
                "Many people are signing in just now. Try again in a moment."_en},
      password_rule{given.common_passwords, given.base_url},
      password_checks{given.metrics_folder} {
    if (mail_ring) mails.emplace(pages, crypto::MailSealer{auth_ring, *mail_ring}, given.base_url);
}

std::vector<crypto::RingSummary> Services::rings() const {
    std::vector rings{crypto::summary_of(auth_ring)};
    if (mail_ring) rings.push_back(crypto::summary_of(*mail_ring));
    return rings;
}

void Services::require_store() { store::require_store(database, rings()); }

} // namespace usershell::auth
