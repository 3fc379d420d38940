// The services that the handlers of usershell-auth share. Built once at start, they outlive every
// request; all parts are thread-safe. This program can neither seal a key nor open one.
#pragma once

#include "auth/password_meter.hpp"
#include "auth/password_permits.hpp"
#include "crypto/ring/ring.hpp"
#include "domain/passwords/password_rule.hpp"
#include "domain/settings/config.hpp"
#include "pages/mail_writer.hpp"
#include "pipeline/route.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

#include <chrono>
#include <optional>

namespace usershell::auth {

class Services {
public:
    /// Loads rings, templates and the list of common passwords. Throws Error with one sentence.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();
    /// The rings that it has.
    std::vector<crypto::RingSummary> rings() const;

    const Settings& settings;
    store::Database database;
    web::Pages pages;
    crypto::AuthSecret auth_ring;
    std::optional<crypto::MailPublic> mail_ring;
    PasswordPermits passwords;
    PasswordRule password_rule;
    PasswordMeter password_checks;
    std::optional<pages::MailWriter> mails; ///< null: this service sends no mail
};

/// `services` outlives the routes.
pipeline::Routes auth_routes(Services& services);

/// Removes a batch of what has expired: sessions, one-time links, pending changes of address,
/// attempts that no longer count, old events. Returns how long to wait before the next; several
/// processes may sweep at a time.
std::chrono::milliseconds sweep(Services& services);

/// Queues the mails about events that wait for one (store/announcements.hpp), those of
/// usershell-manage above all. Returns how long to wait before the next; several processes may do
/// so at a time.
std::chrono::milliseconds announce(Services& services);

} // namespace usershell::auth
