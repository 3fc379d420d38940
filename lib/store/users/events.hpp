// The latest events of accounts. The database writes an event in the transaction of the change
// (sql/0016_events.sql); programs can only read them. Of each kind the
// newest 50 of a user are kept, for the operator's time.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

struct Event {
    std::string kind; ///< a word: "signed_in", "wrong_password", "key_replaced", …
    Timestamp happened_at;
    std::string about;          ///< of a key: the name of its provider, and of its account
    std::string browser;        ///< of sign-ins and tries: a stored Sentence
    std::string client_address; ///< of sign-ins
};

/// The newest of the user whose session the lease presents, newest first: at most `limit`, and of
/// each kind at most `limit_of_kind`, so that strangers can push out no other kind.
std::vector<Event> latest_events(Lease& lease, int limit, int limit_of_kind);

/// For the operator (usershellctl events): that user's, or everybody's, oldest first.
struct UserEvent {
    std::string email;
    Event event;
};
std::vector<UserEvent> list_events(Lease& lease, const std::optional<UserId>& user);

/// Records that sign-ins with that address are throttled, as an event of its user, at most once an
/// hour. Does the same work for an unknown address.
void note_throttled(Lease& lease, const std::string& normalized_email, const std::string& browser);

/// Removes at most `limit` events older than `keep`, of all users, but none of the last week;
/// returns how many.
int sweep_events(Lease& lease, int limit, std::chrono::seconds keep);

// Events that their persons get a mail about, whichever program caused them. The database marks
// such an event in the transaction of the deed (note_event() in sql/0016_events.sql);
// usershell-auth, which alone writes mails, takes the marked ones here. Needs no identity.

struct WaitingEvent {
    UserId owner;
    std::string id;
    std::string kind; ///< as Event has it, and `about`, too
    std::string about;
    std::string email;
    std::string display_name;
};
/// At most `limit` events of all users, the oldest first; of each user as many as may still have a
/// mail within this hour.
std::vector<WaitingEvent> events_to_announce(Lease& lease, int limit);

/// Queues the mail about that event and marks the event, together. A marked event is left as
/// it is: of several processes one queues a mail.
void announce_event(Lease& lease, const WaitingEvent& event, const QueuedMail& mail);

} // namespace usershell::store
