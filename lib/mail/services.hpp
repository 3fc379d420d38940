// The services of the mail sender. Built once at start, outlives every round.
#pragma once

#include "crypto/ring/ring.hpp"
#include "domain/settings/config.hpp"
#include "mail/mail_opener.hpp"
#include "store/database/database.hpp"

namespace usershell::mail {

class Services {
public:
    /// Loads the rings. Throws RingError or ConfigError with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The rings that it has.
    std::vector<crypto::RingSummary> rings() const;

    const Settings& settings;
    store::Database database;
    crypto::MailSecret mail_ring;
    crypto::AuthPublic auth_ring;
    MailOpener opener;
};

} // namespace usershell::mail
