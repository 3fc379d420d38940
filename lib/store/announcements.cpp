#include "store/announcements.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_waiting{"events_to_announce",
                               by_auth,
                               {"SELECT owner_id, event_id, kind, email, display_name FROM "
                                "usershell.events_to_announce($1)"}};

const Statement announce{
    "announce_event", by_auth, {"SELECT usershell.announce_event($1, $2, $3, $4)"}};

} // namespace

std::vector<WaitingEvent> events_to_announce(Lease& lease, int limit) {
    return run(lease, select_waiting, limit).all([](const Row& row) {
        return WaitingEvent{.owner = row.get<UserId>("owner_id"),
                            .id = row.get<std::string>("event_id"),
                            .kind = row.get<std::string>("kind"),
                            .email = row.get<std::string>("email"),
                            .display_name = row.get<std::string>("display_name")};
    });
}

void announce_event(Lease& lease, const WaitingEvent& event, const QueuedMail& mail) {
    write(lease, announce, event.owner, event.id, mail.id, Bytes{mail.sealed.bytes()});
}

} // namespace usershell::store
