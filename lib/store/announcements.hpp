// Events that their persons get a mail about, whichever program caused them. The database marks
// such an event in the transaction of the deed (note_event() in sql/0016_events.sql);
// usershell-auth, which alone writes mails, takes the marked ones here. Needs no identity.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"

#include <string>
#include <vector>

namespace usershell::store {

struct WaitingEvent {
    UserId owner;
    std::string id;
    std::string kind; ///< as Event has it
    std::string email;
    std::string display_name;
};
/// At most `limit` events of all users, the oldest first; of each user as many as may still have a
/// mail within this hour.
std::vector<WaitingEvent> events_to_announce(Lease& lease, int limit);

/// Queues the mail about that event and marks the event, together. Does nothing when the event is
/// marked: of several processes one queues a mail.
void announce_event(Lease& lease, const WaitingEvent& event, const QueuedMail& mail);

} // namespace usershell::store
