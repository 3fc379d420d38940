#include "store/users/email_changes.hpp"

#include "base/rules.hpp"
#include "crypto/token.hpp"
#include "store/database/run.hpp"
#include "store/steps.hpp"

namespace usershell::store {

namespace {

const Statement select_pending{
    "pending_email",
    by_manage,
    {"SELECT e.email FROM usershell.email_changes e "
     "JOIN usershell.users u ON u.id = e.owner_id AND u.security_stamp = e.security_stamp "
     "WHERE e.owner_id = $1 AND e.expires_at > now()"}};

const Statement count_attempts{"count_email_attempts", by_manage, {R"sql(
SELECT count(*) AS attempts, count(*) FILTER (WHERE mailed) AS mails FROM usershell.email_attempts
WHERE owner_id = $1 AND attempted_at > now() - interval '1 hour')sql"}};

const Statement insert_attempt{
    "add_email_attempt",
    by_manage,
    {"INSERT INTO usershell.email_attempts (owner_id, id, mailed) VALUES ($1, $2, $3)"}};

const Statement is_taken{
    "is_email_taken", by_manage, {"SELECT 1 WHERE usershell.is_email_taken($1)"}};

const Statement upsert_change{"start_email_change", by_manage, {R"sql(
INSERT INTO usershell.email_changes (owner_id, security_stamp, email, normalized_email, token_hash, expires_at)
SELECT u.id, u.security_stamp, $2, $3, $4::bytea, now() + make_interval(secs => $5)
FROM usershell.users u WHERE u.id = $1
ON CONFLICT (owner_id) DO UPDATE
SET security_stamp = excluded.security_stamp, email = excluded.email,
    normalized_email = excluded.normalized_email, token_hash = excluded.token_hash,
    expires_at = excluded.expires_at)sql"}};

const Statement has_change{
    "has_email_change",
    by_manage,
    {"SELECT 1 FROM usershell.email_changes WHERE owner_id = $1 AND token_hash = $2"}};

const Statement delete_change{
    "cancel_email_change", by_manage, {"DELETE FROM usershell.email_changes WHERE owner_id = $1"}};

// The stamp is compared under the row's lock: of two confirmations that wait for it, the second
// finds another stamp.
const Statement consume_change{"consume_email_change",
                               by_manage,
                               {R"sql(
UPDATE usershell.users u SET email = e.email, normalized_email = e.normalized_email
FROM usershell.email_changes e
WHERE u.id = $1 AND e.owner_id = u.id AND e.security_stamp = u.security_stamp
  AND e.normalized_email = $2 AND e.token_hash = $3 AND e.expires_at > now())sql"},
                               "This address is in use by now. Your address has not been changed."};

const Statement has_email{
    "has_email",
    by_manage,
    {"SELECT normalized_email = $2 AS is_theirs FROM usershell.users WHERE id = $1"}};

bool too_many(Transaction& transaction, const UserId& user) {
    Rows rows = transaction.run(count_attempts, user);
    const Row counts = rows.front();
    return counts.get<int>("attempts") >= rules::max_email_attempts_an_hour ||
           counts.get<int>("mails") >= rules::max_email_mails_an_hour;
}

} // namespace

std::optional<std::string> pending_email(Lease& lease, const UserId& user) {
    return run(lease, select_pending, user).first([](const Row& row) {
        return row.get<std::string>("email");
    });
}

ChangeStart start_email_change(Lease& lease, const UserId& user, const SessionId& session,
                               const EmailChange& change, const QueuedMail& confirmation) {
    const std::string attempt_id = crypto::random_uuid();
    return transact(lease, [&](Transaction& transaction) {
        // Changes of one user take turns.
        if (!lock_session(transaction, user, session)) return ChangeStart::session_ended;
        if (transaction.in_doubt() &&
            !transaction.run(has_change, user, Bytes{change.token_hash}).empty()) {
            return ChangeStart::started;
        }
        if (too_many(transaction, user)) return ChangeStart::too_many_attempts;
        const bool taken = !transaction.run(is_taken, change.address.normalized).empty();
        transaction.run(insert_attempt, user, attempt_id, !taken);
        if (taken) return ChangeStart::address_unusable;
        transaction.run(upsert_change, user, change.address.shown, change.address.normalized,
                        Bytes{change.token_hash}, change.lifetime);
        insert_mail(transaction, user, confirmation);
        return ChangeStart::started;
    });
}

void cancel_email_change(Lease& lease, const UserId& user) { run(lease, delete_change, user); }

bool confirm_email_change(Lease& lease, const UserId& user, const EmailConfirmation& confirmation,
                          const std::optional<QueuedMail>& notice) {
    return transact(lease, [&](Transaction& transaction) {
        const Rows consumed = transaction.run(consume_change, user, confirmation.normalized_email,
                                              Bytes{confirmation.token_hash});
        if (consumed.affected() == 0) {
            return transaction.in_doubt() &&
                   transaction.run(has_email, user, confirmation.normalized_email)
                       .front()
                       .get<bool>("is_theirs");
        }
        transaction.run(delete_change, user);
        keep_session_only(transaction, user, confirmation.session, confirmation.keys);
        if (notice) insert_mail(transaction, user, *notice);
        return true;
    });
}

} // namespace usershell::store
