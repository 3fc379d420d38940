#include "store/email_changes.hpp"

#include "base/rules.hpp"
#include "crypto/token.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/steps.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement select_pending{
    "pending_email",
    by_manage,
    {"SELECT email FROM usershell.email_changes WHERE owner_id = $1 AND expires_at > now()"}};

// Changes of one user take turns.
constexpr Statement lock_user{"lock_user_for_email",
                              by_manage,
                              {"SELECT 1 FROM usershell.users WHERE id = $1 FOR NO KEY UPDATE"}};

constexpr Statement count_tries{"count_email_tries", by_manage, {R"sql(
SELECT count(*), count(*) FILTER (WHERE mailed) FROM usershell.email_tries
WHERE owner_id = $1 AND tried_at > now() - interval '1 hour')sql"}};

constexpr Statement insert_try{
    "add_email_try",
    by_manage,
    {"INSERT INTO usershell.email_tries (owner_id, id, mailed) VALUES ($1, $2, $3)"}};

constexpr Statement is_taken{
    "is_email_taken", by_manage, {"SELECT 1 FROM usershell.find_credentials($1)"}};

constexpr Statement upsert_change{"start_email_change", by_manage, {R"sql(
INSERT INTO usershell.email_changes (owner_id, email, normalized_email, token_hash, expires_at)
VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
ON CONFLICT (owner_id) DO UPDATE
SET email = excluded.email, normalized_email = excluded.normalized_email,
    token_hash = excluded.token_hash, expires_at = excluded.expires_at)sql"}};

constexpr Statement has_change{
    "has_email_change",
    by_manage,
    {"SELECT 1 FROM usershell.email_changes WHERE owner_id = $1 AND token_hash = $2"}};

constexpr Statement delete_change{
    "cancel_email_change", by_manage, {"DELETE FROM usershell.email_changes WHERE owner_id = $1"}};

constexpr Statement consume_change{"consume_email_change", by_manage, {R"sql(
DELETE FROM usershell.email_changes
WHERE owner_id = $1 AND normalized_email = $2 AND token_hash = $3 AND expires_at > now()
RETURNING email)sql"}};

constexpr Statement update_email{
    "set_email",
    by_manage,
    {"UPDATE usershell.users SET email = $2, normalized_email = $3 WHERE id = $1"},
    "This address is in use by now. Your address has not been changed."};

constexpr Statement has_email{
    "has_email",
    by_manage,
    {"SELECT 1 FROM usershell.users WHERE id = $1 AND normalized_email = $2"}};

bool too_many(Transaction& transaction, const UserId& user) {
    const auto counts = transaction.run(count_tries, user)[0];
    return counts[0].as<int>() >= rules::max_email_tries_an_hour ||
           counts[1].as<int>() >= rules::max_email_mails_an_hour;
}

} // namespace

StatementList email_change_statements() {
    static constexpr std::array list{&select_pending, &lock_user,     &count_tries, &insert_try,
                                     &is_taken,       &upsert_change, &has_change,  &delete_change,
                                     &consume_change, &update_email,  &has_email};
    return list;
}

std::optional<std::string> pending_email(Lease& lease, const UserId& user) {
    const auto rows = run(lease, select_pending, user);
    if (rows.empty()) return std::nullopt;
    return rows[0][0].as<std::string>();
}

ChangeStart start_email_change(Lease& lease, const UserId& user, const EmailChange& change,
                               const QueuedMail& confirmation) {
    const std::string try_id = crypto::random_uuid();
    return transact(lease, [&](Transaction& transaction) {
        transaction.run(lock_user, user);
        if (transaction.in_doubt() &&
            !transaction.run(has_change, user, Bytes{change.token_hash}).empty()) {
            return ChangeStart::started;
        }
        if (too_many(transaction, user)) return ChangeStart::too_many_tries;
        const bool taken = !transaction.run(is_taken, change.address.normalized).empty();
        transaction.run(insert_try, user, try_id, !taken);
        if (taken) return ChangeStart::address_unusable;
        transaction.run(upsert_change, user, change.address.shown, change.address.normalized,
                        Bytes{change.token_hash}, change.lifetime);
        insert_mail(transaction, user, confirmation);
        return ChangeStart::started;
    });
}

bool cancel_email_change(Lease& lease, const UserId& user) {
    return run_delete(lease, delete_change, user);
}

bool confirm_email_change(Lease& lease, const UserId& user, const EmailConfirmation& confirmation,
                          const std::optional<QueuedMail>& notice) {
    return transact(lease, [&](Transaction& transaction) {
        const auto consumed = transaction.run(consume_change, user, confirmation.normalized_email,
                                              Bytes{confirmation.token_hash});
        if (consumed.empty()) {
            return transaction.in_doubt() &&
                   !transaction.run(has_email, user, confirmation.normalized_email).empty();
        }
        transaction.run(update_email, user, consumed[0][0].as<std::string>(),
                        confirmation.normalized_email);
        keep_session_only(transaction, user, confirmation.session, confirmation.session_token_hash,
                          confirmation.antiforgery_key);
        end_password_reset(transaction, user);
        if (notice) insert_mail(transaction, user, *notice);
        return true;
    });
}

} // namespace usershell::store
