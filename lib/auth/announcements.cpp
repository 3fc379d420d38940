#include "auth/security.hpp"
#include "auth/services.hpp"

#include "store/announcements.hpp"

namespace usershell::auth {

std::chrono::milliseconds announce(Services& services) {
    constexpr int at_a_time = 50;
    if (!services.mails) return std::chrono::hours{1};
    store::Lease lease{services.database};
    const auto waiting = store::events_to_announce(lease, at_a_time);
    for (const store::WaitingEvent& event : waiting)
        store::announce_event(lease, event,
                              services.mails->security_event(event.owner, event.display_name,
                                                             event.email,
                                                             event_sentence(event.kind)));
    return waiting.size() < at_a_time ? std::chrono::seconds{10} : std::chrono::milliseconds{100};
}

} // namespace usershell::auth
