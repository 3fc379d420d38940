#include "mail/services.hpp"

#include "store/installation.hpp"

namespace usershell::mail {

namespace {

const Settings& checked(const Settings& settings) {
    if (settings.smtp_url.empty()) throw ConfigError{"The setting smtp-url is needed."};
    if (settings.smtp_from.empty()) throw ConfigError{"The setting smtp-from is needed."};
    return settings;
}

} // namespace

// Two connections: rounds come one after another, and the metrics ask beside them.
Services::Services(const Settings& given)
    : settings{checked(given)},
      database{given.database, 2},
      mail_ring{crypto::load_ring<crypto::MailSecret>(given.mail_secret)},
      auth_ring{crypto::load_ring<crypto::AuthPublic>(given.auth_public)},
      opener{mail_ring, auth_ring} {}

std::vector<crypto::RingSummary> Services::rings() const {
    return {crypto::summary_of(mail_ring), crypto::summary_of(auth_ring)};
}

void Services::require_store() { store::require_store(database, rings()); }

} // namespace usershell::mail
