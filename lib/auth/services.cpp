#include "auth/services.hpp"

#include "auth/security.hpp"
#include "base/logging/log.hpp"
#include "pages/templates.hpp"
#include "store/installation.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/events.hpp"
#include "store/users/passwords.hpp"
#include "store/users/sessions.hpp"

#include <algorithm>

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
                "Many people are signing in right now. Try again in a moment."_en},
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

std::chrono::milliseconds sweep(Services& services) {
    constexpr int at_a_time = 1000;
    store::Lease lease{services.database};
    const int sessions = store::sweep_sessions(lease, at_a_time);
    const int leftovers = store::sweep_leftovers(lease, at_a_time);
    const int events = store::sweep_events(lease, at_a_time, services.settings.keep_events);
    const int tokens = store::sweep_tokens(lease, at_a_time);
    if (sessions + leftovers + events + tokens > 0) {
        log(Level::info, "swept",
            {{"sessions", std::to_string(sessions)},
             {"leftovers", std::to_string(leftovers)},
             {"events", std::to_string(events)},
             {"tokens", std::to_string(tokens)}});
    }
    const bool more = std::max({sessions, leftovers, events, tokens}) >= at_a_time;
    return more ? std::chrono::milliseconds{100} : std::chrono::minutes{10};
}

namespace {

store::QueuedMail mail_about(const pages::MailWriter& mails, const store::WaitingEvent& event) {
    if (event.kind == "token_ends")
        return mails.about_token(pages::Mail::token_ends, event.owner, event.display_name,
                                 event.email, event.about);
    return mails.security_event(event.owner, event.display_name, event.email,
                                event_sentence(event.kind));
}

} // namespace

std::chrono::milliseconds announce(Services& services) {
    constexpr int at_a_time = 50;
    if (!services.mails) return std::chrono::hours{1};
    store::Lease lease{services.database};
    const auto waiting = store::events_to_announce(lease, at_a_time);
    for (const store::WaitingEvent& event : waiting)
        store::announce_event(lease, event, mail_about(*services.mails, event));
    return waiting.size() < at_a_time ? std::chrono::seconds{10} : std::chrono::milliseconds{100};
}

} // namespace usershell::auth
