#include "store/users/users.hpp"

#include "store/database/run.hpp"
#include "store/steps.hpp"

namespace usershell::store {

namespace {

const Statement find_by_email{
    "find_credentials",
    by_manage,
    {"SELECT user_id, password_hash, is_disabled FROM usershell.find_credentials($1)"}};

// A second attempt after a lost answer finds the row of the first.
const Statement insert_user{"add_user",
                            by_owner,
                            {R"sql(
INSERT INTO usershell.users (id, email, normalized_email, display_name, password_hash)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (id) DO NOTHING)sql"},
                            "This e-mail address is in use."};

const Statement update_password{"set_password_hash",
                                by_manage,
                                {"UPDATE usershell.users SET password_hash = $2 WHERE id = $1"}};

const Statement update_display_name{
    "set_display_name", by_manage, {"UPDATE usershell.users SET display_name = $2 WHERE id = $1"}};

} // namespace

std::optional<Credentials> find_credentials(Lease& lease, const std::string& normalized_email) {
    return run(lease, find_by_email, normalized_email).first([](const Row& row) {
        return Credentials{.user = row.get<UserId>("user_id"),
                           .password_hash = row.get<std::string>("password_hash"),
                           .disabled = row.get<bool>("is_disabled")};
    });
}

void add_user(Lease& lease, const UserId& user, const EmailAddress& email,
              const std::string& display_name, const std::string& password_hash) {
    run(lease, insert_user, user, email.shown, email.normalized, display_name, password_hash);
}

void set_password_hash(Lease& lease, const UserId& user, const std::string& password_hash) {
    run(lease, update_password, user, password_hash);
}

void change_password(Lease& lease, const UserId& user, const std::string& password_hash,
                     const SessionId& session, const std::string& token_hash,
                     const std::string& antiforgery_key) {
    transact(lease, [&](Transaction& transaction) {
        transaction.run(update_password, user, password_hash);
        keep_session_only(transaction, user, session, token_hash, antiforgery_key);
        end_password_reset(transaction, user);
    });
}

void set_display_name(Lease& lease, const UserId& user, const std::string& display_name) {
    run(lease, update_display_name, user, display_name);
}

} // namespace usershell::store
