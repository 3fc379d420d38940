// What the handlers of usershell-auth share, and its periodic work.
#pragma once

#include "crypto/password.hpp"
#include "crypto/ring/ring.hpp"
#include "domain/passwords/password_rule.hpp"
#include "domain/settings/config.hpp"
#include "metrics/registry.hpp"
#include "pages/mail_writer.hpp"
#include "pipeline/route.hpp"
#include "runtime/permits.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::auth {

// Counts how checks of passwords end, for operators: a flood of wrong ones shows here. Thread-safe.

enum class PasswordOutcome { right, wrong, throttled, busy };

class PasswordMeter {
public:
    /// Throws Error.
    explicit PasswordMeter(const std::string& folder)
        : registry_{folder,
                    "passwords",
                    {{.name = "usershell_password_checks_total",
                      .help = "Checks of a password, by how they ended.",
                      .kind = metrics::Kind::counter,
                      .labels = {{"outcome", {"right", "wrong", "throttled", "busy"}}}}}} {}

    void count(PasswordOutcome outcome) { registry_.count(0, {static_cast<std::size_t>(outcome)}); }

    const metrics::Registry& registry() const { return registry_; }

private:
    metrics::Registry registry_;
};

// Permits to hash a password in this process: a hash takes a tenth of a second and much memory, and
// only a permit can hash. Half of them are kept for users with a proof that costs no hash: a known
// browser, a mailed link, a password that was just right. Thread-safe.

class PasswordPermits {
public:
    /// Throws Error as PasswordHasher does. `refusal`: as of Permits.
    PasswordPermits(crypto::PasswordCost cost, English refusal)
        : hasher_{cost},
          permits_{half, half, refusal} {}

    class Permit {
    public:
        /// As of PasswordHasher.
        std::string hash(std::string_view password) const { return hasher_.hash(password); }
        std::string hash_with(const std::string& salt_and_cost, std::string_view password) const {
            return hasher_.hash_with(salt_and_cost, password);
        }

    private:
        friend class PasswordPermits;
        Permit(PasswordPermits& all, const std::optional<UserId>& proven)
            : hasher_{all.hasher_},
              permit_{all.permits_.take(proven)} {}

        const crypto::PasswordHasher& hasher_;
        Permits::Permit permit_;
    };

    /// As Permits::take().
    Permit take(const std::optional<UserId>& proven) { return {*this, proven}; }

    /// As of PasswordHasher.
    std::string usual_cost() const { return hasher_.usual_cost(); }
    bool needs_rehash(const std::string& salt_and_cost) const {
        return hasher_.needs_rehash(salt_and_cost);
    }

private:
    static constexpr std::size_t half = 2;

    crypto::PasswordHasher hasher_;
    Permits permits_;
};

// The services that the handlers of usershell-auth share. Built once at start, they outlive every
// request; all parts are thread-safe. This program can neither seal a key nor open one.

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

/// A handler of a route.
using Handler = web::Response(Services& services, pipeline::RequestContext& context);

/// `services` outlives the routes.
pipeline::Routes auth_routes(Services& services);

/// Removes a batch of what has expired: sessions, one-time links, pending changes of address,
/// attempts that no longer count, old events. Returns how long to wait before the next; several
/// processes may sweep at a time.
std::chrono::milliseconds sweep(Services& services);

/// Queues the mails about events that wait for one (store/users/events.hpp), those of
/// usershell-manage above all. Returns how long to wait before the next; several processes may do
/// so at a time.
std::chrono::milliseconds announce(Services& services);

} // namespace usershell::auth
