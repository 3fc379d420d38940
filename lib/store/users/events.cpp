#include "store/users/events.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_latest{"latest_events",
                              by_auth,
                              {"SELECT kind, happened_at, about, browser, client_address FROM "
                               "usershell.latest_events($1, $2)"}};

const Statement select_events{"list_events", by_owner, {R"sql(
SELECT u.email, e.kind, usershell.microseconds(e.happened_at) AS happened_at, e.about, e.browser, e.client_address
FROM usershell.events e JOIN usershell.users u ON u.id = e.owner_id
WHERE u.normalized_email <> '' AND (e.owner_id = $1 OR $1::uuid IS NULL)
ORDER BY e.happened_at, e.id)sql"}};

const Statement note{"note_throttled", by_auth, {"SELECT usershell.note_throttled($1, $2)"}};

const Statement sweep{"sweep_events",
                      by_auth,
                      {"SELECT usershell.sweep_events($1, make_interval(secs => $2)) AS swept"}};

Event event_of(const Row& row) {
    return {.kind = row.get<std::string>("kind"),
            .happened_at = row.get<Timestamp>("happened_at"),
            .about = row.get<std::string>("about"),
            .browser = row.get<std::string>("browser"),
            .client_address = row.get<std::string>("client_address")};
}

} // namespace

std::vector<Event> latest_events(Lease& lease, int limit, int limit_of_kind) {
    return run(lease, select_latest, limit, limit_of_kind).all(event_of);
}

std::vector<UserEvent> list_events(Lease& lease, const std::optional<UserId>& user) {
    return run(lease, select_events, user).all([](const Row& row) {
        return UserEvent{row.get<std::string>("email"), event_of(row)};
    });
}

void note_throttled(Lease& lease, const std::string& normalized_email, const std::string& browser) {
    run(lease, note, normalized_email, browser);
}

int sweep_events(Lease& lease, int limit, std::chrono::seconds keep) {
    return run(lease, sweep, limit, keep).front().get<int>("swept");
}

namespace {

const Statement select_waiting{"events_to_announce",
                               by_auth,
                               {"SELECT owner_id, event_id, kind, about, email, display_name FROM "
                                "usershell.events_to_announce($1)"}};

const Statement announce{
    "announce_event", by_auth, {"SELECT usershell.announce_event($1, $2, $3, $4)"}};

} // namespace

std::vector<WaitingEvent> events_to_announce(Lease& lease, int limit) {
    return run(lease, select_waiting, limit).all([](const Row& row) {
        return WaitingEvent{.owner = row.get<UserId>("owner_id"),
                            .id = row.get<std::string>("event_id"),
                            .kind = row.get<std::string>("kind"),
                            .about = row.get<std::string>("about"),
                            .email = row.get<std::string>("email"),
                            .display_name = row.get<std::string>("display_name")};
    });
}

void announce_event(Lease& lease, const WaitingEvent& event, const QueuedMail& mail) {
    write(lease, announce, event.owner, event.id, mail.id, Bytes{mail.sealed.bytes()});
}

} // namespace usershell::store
