#include "store/outbox.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

// Takes a mail for a while; rows that other processes are just taking are skipped. A subquery in
// FROM would run for each row of the table when the planner expects few, and take a mail each
// time.
const Statement take{"take_mail", by_mail, {R"sql(
WITH due AS MATERIALIZED (
    SELECT owner_id, id FROM usershell.outbox WHERE state = 'queued' AND next_attempt_at <= now()
    ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
UPDATE usershell.outbox o SET attempts = o.attempts + 1, next_attempt_at = now() + make_interval(secs => $1)
FROM due WHERE o.owner_id = due.owner_id AND o.id = due.id
RETURNING o.owner_id, o.id, o.kind, o.sealed, o.attempts)sql"}};

const Statement delete_sent{"mail_sent", by_mail, {"SELECT usershell.mail_sent($1, $2)"}};

const Statement delay{"mail_delayed", by_mail, {R"sql(
UPDATE usershell.outbox SET next_attempt_at = now() + make_interval(secs => $3), reason = $4
WHERE owner_id = $1 AND id = $2)sql"}};

const Statement give_up{"mail_failed", by_mail, {R"sql(
UPDATE usershell.outbox SET state = 'failed', sealed = '', reason = $3 WHERE owner_id = $1 AND id = $2)sql"}};

const Statement select_state{"outbox_state", by_mail, {R"sql(
SELECT count(*) FILTER (WHERE o.state = 'queued') AS queued, count(*) FILTER (WHERE o.state = 'failed') AS failed,
       coalesce(extract(epoch FROM now() - min(o.queued_at) FILTER (WHERE o.state = 'queued')), 0)::bigint AS waited
FROM usershell.outbox o WHERE o.kind <> 'none')sql"}};

const Statement select_waiting{"list_mail", by_owner, {R"sql(
SELECT o.id, u.email, o.kind, o.state, o.attempts,
       CASE WHEN o.state = 'queued' THEN usershell.microseconds(o.next_attempt_at) END AS next_attempt_at, o.reason
FROM usershell.outbox o JOIN usershell.users u ON u.id = o.owner_id
WHERE o.kind <> 'none' ORDER BY o.queued_at, o.id)sql"}};

const Statement retry{"retry_mail", by_owner, {R"sql(
UPDATE usershell.outbox SET next_attempt_at = now() WHERE id = $1 AND state = 'queued')sql"}};

const Statement drop{"drop_mail", by_owner, {"DELETE FROM usershell.outbox WHERE id = $1"}};

} // namespace

std::optional<TakenMail> take_mail(Lease& lease, std::chrono::seconds hold) {
    return run(lease, take, hold).first([](const Row& row) {
        return TakenMail{.owner = row.get<UserId>("owner_id"),
                         .id = row.get<MailId>("id"),
                         .kind = row.get<std::string>("kind"),
                         .sealed = crypto::SealedMail{row.bytes("sealed")},
                         .attempts = row.get<int>("attempts")};
    });
}

void mail_sent(Lease& lease, const TakenMail& mail) {
    run(lease, delete_sent, mail.owner, mail.id);
}

void mail_delayed(Lease& lease, const TakenMail& mail, std::chrono::seconds wait,
                  const std::string& reason) {
    run(lease, delay, mail.owner, mail.id, wait, reason);
}

void mail_failed(Lease& lease, const TakenMail& mail, const std::string& reason) {
    run(lease, give_up, mail.owner, mail.id, reason);
}

OutboxState outbox_state(Lease& lease) {
    Rows rows = run(lease, select_state);
    const Row row = rows.front();
    return {.queued = row.get<std::int64_t>("queued"),
            .failed = row.get<std::int64_t>("failed"),
            .seconds_waited = row.get<std::int64_t>("waited")};
}

bool retry_mail(Lease& lease, const MailId& mail) { return run(lease, retry, mail).affected() > 0; }

bool drop_mail(Lease& lease, const MailId& mail) { return run_delete(lease, drop, mail); }

std::vector<MailRow> list_mail(Lease& lease) {
    return run(lease, select_waiting).all([](const Row& row) {
        return MailRow{.id = row.get<std::string>("id"),
                       .owner_email = row.get<std::string>("email"),
                       .kind = row.get<std::string>("kind"),
                       .state = row.get<std::string>("state"),
                       .attempts = row.get<int>("attempts"),
                       .next_attempt = row.get<std::optional<Timestamp>>("next_attempt_at"),
                       .reason = row.get<std::string>("reason")};
    });
}

} // namespace usershell::store
