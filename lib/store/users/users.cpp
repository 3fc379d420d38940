#include "store/users/users.hpp"

#include "store/database/run.hpp"
#include "store/steps.hpp"

namespace usershell::store {

namespace {

// A second attempt after a lost answer finds the row of the first.
const Statement insert_user{"add_user",
                            by_owner,
                            {R"sql(
INSERT INTO usershell.users (id, email, normalized_email, display_name, password_hash)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO NOTHING)sql"},
                            "This e-mail address is in use."_en};

const Statement update_password{
    "change_password", by_auth, {"SELECT usershell.change_password($1, $2, $3, $4) AS stamp"}};

const Statement remove_own{
    "delete_own_user", by_auth, {"SELECT usershell.delete_own_user($1) AS is_deleted"}};

const Statement update_display_name{
    "set_display_name", by_manage, {"UPDATE usershell.users SET display_name = $2 WHERE id = $1"}};

} // namespace

std::optional<std::string> new_stamp_in(Lease& lease, Rows& rows, const SessionKeys& keys) {
    const Row row = rows.front();
    if (row.is_null("stamp")) return std::nullopt;
    lease.present(keys.auth_token_hash);
    return row.bytes("stamp");
}

void add_user(Lease& lease, const UserId& user, const EmailAddress& email,
              const std::string& display_name, const std::string& password_hash) {
    write(lease, insert_user, user, email.shown, email.normalized, display_name, password_hash);
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

std::optional<std::string> change_password(Lease& lease, const std::string& stamp,
                                           const std::string& password_hash,
                                           const SessionKeys& keys,
                                           const std::vector<AccessTokenId>& kept_tokens) {
    ArrayText kept;
    for (const AccessTokenId& token : kept_tokens) kept.add(token.text());
    Rows rows =
        write(lease, update_password, Bytes{stamp}, password_hash, composite(keys), kept.text());
    return new_stamp_in(lease, rows, keys);
}

bool delete_own_user(Lease& lease, const StampedUser& verified) {
    return run_once(
        lease, [](Rows& rows) { return rows.front().get<bool>("is_deleted"); }, remove_own,
        Bytes{verified.stamp});
}

void set_display_name(Lease& lease, const UserId& user, const std::string& display_name) {
    write(lease, update_display_name, user, display_name);
}

} // namespace usershell::store
