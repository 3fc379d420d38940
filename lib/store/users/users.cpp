#include "store/users/users.hpp"

#include "store/database/run.hpp"
#include "store/steps.hpp"

namespace usershell::store {

namespace {

const Statement select_stamp{
    "current_stamp", by_manage, {"SELECT security_stamp FROM usershell.users WHERE id = $1"}};

// A second attempt after a lost answer finds the row of the first.
const Statement insert_user{"add_user",
                            by_owner,
                            {R"sql(
INSERT INTO usershell.users (id, email, normalized_email, display_name, password_hash)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO NOTHING)sql"},
                            "This e-mail address is in use."};

const Statement update_password{"change_password", by_manage, {R"sql(
UPDATE usershell.users SET password_hash = $3 WHERE id = $1 AND security_stamp = $2::bytea)sql"}};

const Statement remove_own{
    "delete_own_user", by_manage, {"SELECT usershell.delete_own_user($1) AS is_deleted"}};

const Statement update_display_name{
    "set_display_name", by_manage, {"UPDATE usershell.users SET display_name = $2 WHERE id = $1"}};

} // namespace

StampedUser current_stamp(Lease& lease, const UserId& user) {
    return {user, run(lease, select_stamp, user).front().bytes("security_stamp")};
}

void add_user(Lease& lease, const UserId& user, const EmailAddress& email,
              const std::string& display_name, const std::string& password_hash) {
    run(lease, insert_user, user, email.shown, email.normalized, display_name, password_hash);
}

void add_invited_user(Lease& lease, const UserId& user, const EmailAddress& email,
                      const std::string& display_name, const PasswordReset& reset,
                      const QueuedMail& mail) {
    transact(lease, [&](Transaction& transaction) {
        transaction.run(insert_user, user, email.shown, email.normalized, display_name,
                        std::string{});
        upsert_password_reset(transaction, user, reset);
        insert_mail(transaction, user, mail);
    });
}

bool change_password(Lease& lease, const StampedUser& verified, const std::string& password_hash,
                     const SessionId& session, const SessionKeys& keys) {
    return transact(lease, [&](Transaction& transaction) {
        const bool changed =
            transaction.run(update_password, verified.user, Bytes{verified.stamp}, password_hash)
                .affected() > 0;
        // Perhaps a first try, whose answer was lost, has changed it. It has if the session is good
        // under the user's present stamp: only the session's own change leaves it so.
        if (!changed)
            return transaction.in_doubt() && lock_session(transaction, verified.user, session);
        keep_session_only(transaction, verified.user, session, keys);
        return true;
    });
}

bool delete_own_user(Lease& lease, const StampedUser& verified) {
    return run_once(
        lease, [](Rows& rows) { return rows.front().get<bool>("is_deleted"); }, remove_own,
        Bytes{verified.stamp});
}

void set_display_name(Lease& lease, const UserId& user, const std::string& display_name) {
    run(lease, update_display_name, user, display_name);
}

} // namespace usershell::store
