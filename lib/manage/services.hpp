// The services that the handlers of usershell-manage share. Built once at start, they outlive every
// request; all parts are thread-safe. This program can seal keys and not open them.
#pragma once

#include "app/mail_writer.hpp"
#include "app/route.hpp"
#include "base/address/address.hpp"
#include "base/passwords/password_rule.hpp"
#include "base/permits.hpp"
#include "base/settings/config.hpp"
#include "crypto/avatar_box.hpp"
#include "crypto/envelope/sealers.hpp"
#include "crypto/ring/ring.hpp"
#include "manage/sign_in/password_meter.hpp"
#include "manage/sign_in/password_permits.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace usershell::manage {

class Services {
public:
    /// Loads rings, templates and the list of common passwords. Throws RingError, PagesError,
    /// ConfigError with one sentence each.
    explicit Services(const Settings& settings);

    /// Throws Error with one sentence when the store has not this program's schema, or
    /// is of another installation than the rings.
    void require_store();

    const Settings& settings;
    store::Database database;
    web::Pages pages;
    crypto::WebSecret web_ring;
    crypto::VaultPublic vault_ring;
    std::optional<crypto::MailPublic> mail_ring;
    crypto::KeySealer key_sealer;
    PasswordPermits passwords;
    PasswordRule password_rule;
    PasswordMeter password_checks;
    EgressPolicy egress;
    Permits decode_permits;
    std::optional<app::MailWriter> mails; ///< nothing: this service sends no mail
};

/// `services` outlives the routes.
app::Routes manage_routes(Services& services);

/// The entries of the earlier flat vault become providers and accounts, a transaction a user; logs
/// those that did not fit. Several processes may do so at a time; when one is killed, the next
/// start does the rest. Throws no exception: a fold that cannot run is logged, and stops no start.
void fold_legacy_vault(Services& services);
/// "Two older keys did not fit.", for a person's page; empty when none.
std::string older_keys_note(int count);

/// Removes a batch of what has expired: sessions, one-time links, pending changes of address,
/// attempts that no longer count, old events. Returns how long to wait before the next; several
/// processes may sweep at a time.
std::chrono::milliseconds sweep(Services& services);

} // namespace usershell::manage
