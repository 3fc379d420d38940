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
    {"SELECT email FROM usershell.email_changes WHERE owner_id = $1 AND expires_at > now()"}};

// Changes of one user take turns.
const Statement lock_user{"lock_user_for_email",
                          by_manage,
                          {"SELECT 1 FROM usershell.users WHERE id = $1 FOR NO KEY UPDATE"}};

const Statement count_attempts{"count_email_attempts", by_manage, {R"sql(
SELECT count(*) AS attempts, count(*) FILTER (WHERE mailed) AS mails FROM usershell.email_attempts
WHERE owner_id = $1 AND attempted_at > now() - interval '1 hour')sql"}};

const Statement insert_attempt{
    "add_email_attempt",
    by_manage,
    {"INSERT INTO usershell.email_attempts (owner_id, id, mailed) VALUES ($1, $2, $3)"}};

const Statement is_taken{
    "is_email_taken", by_manage, {"SELECT 1 FROM usershell.find_credentials($1)"}};

const Statement upsert_change{"start_email_change", by_manage, {R"sql(
INSERT INTO usershell.email_changes (owner_id, email, normalized_email, token_hash, expires_at)
VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
ON CONFLICT (owner_id) DO UPDATE
SET email = excluded.email, normalized_email = excluded.normalized_email,
    token_hash = excluded.token_hash, expires_at = excluded.expires_at)sql"}};

const Statement has_change{
    "has_email_change",
    by_manage,
    {"SELECT 1 FROM usershell.email_changes WHERE owner_id = $1 AND token_hash = $2"}};

const Statement delete_change{
    "cancel_email_change", by_manage, {"DELETE FROM usershell.email_changes WHERE owner_id = $1"}};

const Statement consume_change{"consume_email_change", by_manage, {R"sql(
DELETE FROM usershell.email_changes
WHERE owner_id = $1 AND normalized_email = $2 AND token_hash = $3 AND expires_at > now()
RETURNING email)sql"}};

const Statement update_email{
    "set_email",
    by_manage,
    {"UPDATE usershell.users SET email = $2, normalized_email = $3 WHERE id = $1"},
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

ChangeStart start_email_change(Lease& lease, const UserId& user, const EmailChange& change,
                               const QueuedMail& confirmation) {
    const std::string attempt_id = crypto::random_uuid();
    return transact(lease, [&](Transaction& transaction) {
        transaction.run(lock_user, user);
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
        Rows consumed = transaction.run(consume_change, user, confirmation.normalized_email,
                                        Bytes{confirmation.token_hash});
        if (consumed.empty()) {
            return transaction.in_doubt() &&
                   transaction.run(has_email, user, confirmation.normalized_email)
                       .front()
                       .get<bool>("is_theirs");
        }
        transaction.run(update_email, user, consumed.front().get<std::string>("email"),
                        confirmation.normalized_email);
        keep_session_only(transaction, user, confirmation.session, confirmation.session_token_hash,
                          confirmation.antiforgery_key);
        end_password_reset(transaction, user);
        if (notice) insert_mail(transaction, user, *notice);
        return true;
    });
}

} // namespace usershell::store
