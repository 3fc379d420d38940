#include "store/outbox.hpp"

#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/steps.hpp"

#include <array>

namespace usershell::store {

namespace {

// A second try after a lost answer finds the row of the first.
constexpr Statement insert{"queue_mail", static_cast<Roles>(by_manage | by_owner), {R"sql(
INSERT INTO usershell.outbox (owner_id, id, kind, sealed) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING)sql"}};

// Taken for a while: rows that others are taking are passed over.
constexpr Statement take{"take_mail", by_execute, {R"sql(
UPDATE usershell.outbox o SET tries = o.tries + 1, next_try_at = now() + make_interval(secs => $1)
FROM (SELECT owner_id, id FROM usershell.outbox WHERE state = 'queued' AND next_try_at <= now()
      ORDER BY next_try_at LIMIT 1 FOR UPDATE SKIP LOCKED) due
WHERE o.owner_id = due.owner_id AND o.id = due.id
RETURNING o.owner_id, o.id, o.kind, o.sealed, o.tries)sql"}};

constexpr Statement delete_sent{
    "mail_sent", by_execute, {"DELETE FROM usershell.outbox WHERE owner_id = $1 AND id = $2"}};

constexpr Statement delay{"mail_delayed", by_execute, {R"sql(
UPDATE usershell.outbox SET next_try_at = now() + make_interval(secs => $3), reason = $4
WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement give_up{"mail_failed", by_execute, {R"sql(
UPDATE usershell.outbox SET state = 'failed', sealed = '', reason = $3 WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement select_waiting{"list_mail", by_owner, {R"sql(
SELECT o.id, u.email, o.kind, o.state, o.tries,
       CASE WHEN o.state = 'queued'
            THEN to_char(o.next_try_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') ELSE '' END,
       o.reason
FROM usershell.outbox o JOIN usershell.users u ON u.id = o.owner_id
WHERE o.kind <> 'none' ORDER BY o.queued_at, o.id)sql"}};

} // namespace

StatementList outbox_statements() {
    static constexpr std::array list{&insert, &take,    &delete_sent,
                                     &delay,  &give_up, &select_waiting};
    return list;
}

void insert_mail(Transaction& transaction, const UserId& user, const QueuedMail& mail) {
    transaction.run(insert, user, mail.id, mail.kind, Bytes{mail.sealed.bytes()});
}

void queue_mail(Lease& lease, const UserId& user, const QueuedMail& mail) {
    run(lease, insert, user, mail.id, mail.kind, Bytes{mail.sealed.bytes()});
}

std::optional<TakenMail> take_mail(Lease& lease, std::chrono::seconds max_try) {
    const auto rows = run(lease, take, max_try);
    if (rows.empty()) return std::nullopt;
    const pqxx::row row = rows[0];
    return TakenMail{id_of<UserId>(row[0]), row[1].as<std::string>(), row[2].as<std::string>(),
                     crypto::SealedMail{bytes_of(row[3])}, row[4].as<int>()};
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

std::vector<MailRow> list_mail(Lease& lease) {
    std::vector<MailRow> mails;
    for (const auto& row : run(lease, select_waiting)) {
        mails.push_back({row[0].as<std::string>(), row[1].as<std::string>(),
                         row[2].as<std::string>(), row[3].as<std::string>(), row[4].as<int>(),
                         row[5].as<std::string>(), row[6].as<std::string>()});
    }
    return mails;
}

} // namespace usershell::store
