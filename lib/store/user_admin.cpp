#include "store/user_admin.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr std::string_view user_columns = R"sql(
SELECT u.id, u.email, u.display_name, u.is_disabled, u.password_hash <> '',
       to_char(u.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       (SELECT count(*) FROM usershell.providers p WHERE p.owner_id = u.id),
       (SELECT count(*) FROM usershell.sessions s WHERE s.owner_id = u.id AND s.expires_at > now())
FROM usershell.users u )sql";

constexpr Statement select_users{
    "list_people",
    by_owner,
    {user_columns, "WHERE u.normalized_email <> '' ORDER BY u.normalized_email"}};

constexpr Statement select_user{
    "find_person", by_owner, {user_columns, "WHERE u.normalized_email = $1 AND $1 <> ''"}};

constexpr Statement update_password{
    "operator_set_password",
    by_owner,
    {"UPDATE usershell.users SET password_hash = $2 WHERE id = $1"}};

constexpr Statement update_disabled{
    "set_disabled", by_owner, {"UPDATE usershell.users SET is_disabled = $2 WHERE id = $1"}};

constexpr Statement end_sessions{
    "end_all_sessions", by_owner, {"DELETE FROM usershell.sessions WHERE owner_id = $1"}};

constexpr Statement remove{
    "delete_person", by_owner, {"DELETE FROM usershell.users WHERE id = $1"}};

constexpr Statement select_sessions{"list_sessions", by_owner, {R"sql(
SELECT to_char(signed_in_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       to_char(last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
       to_char(ends_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), remembered
FROM usershell.sessions WHERE owner_id = $1 AND expires_at > now() ORDER BY last_seen_at DESC, id)sql"}};

UserSummary user_of(const pqxx::row& row) {
    return {.id = id_of<UserId>(row[0]),
            .email = row[1].as<std::string>(),
            .display_name = row[2].as<std::string>(),
            .disabled = row[3].as<bool>(),
            .has_password = row[4].as<bool>(),
            .created_at = row[5].as<std::string>(),
            .providers = row[6].as<int>(),
            .sessions = row[7].as<int>()};
}

/// Changes a person and ends their sessions, together.
template <class... Values>
void change_and_sign_out(Lease& lease, const UserId& user, const Statement& change,
                         const Values&... values) {
    transact(lease, [&](Transaction& transaction) {
        if (transaction.run(change, user, values...).affected_rows() == 0) throw not_found();
        transaction.run(end_sessions, user);
    });
}

} // namespace

StatementList user_admin_statements() {
    static constexpr std::array list{&select_users,    &select_user,  &update_password,
                                     &update_disabled, &end_sessions, &remove,
                                     &select_sessions};
    return list;
}

std::vector<UserSummary> list_users(Lease& lease) {
    std::vector<UserSummary> users;
    for (const auto& row : run(lease, select_users)) users.push_back(user_of(row));
    return users;
}

UserSummary find_user(Lease& lease, const std::string& normalized_email) {
    const auto rows = run(lease, select_user, normalized_email);
    if (rows.empty()) throw not_found();
    return user_of(rows[0]);
}

void operator_set_password(Lease& lease, const UserId& user, const std::string& password_hash) {
    change_and_sign_out(lease, user, update_password, password_hash);
}

void set_disabled(Lease& lease, const UserId& user, bool disabled) {
    change_and_sign_out(lease, user, update_disabled, disabled);
}

void delete_user(Lease& lease, const UserId& user) {
    if (!run_delete(lease, remove, user)) throw not_found();
}

std::vector<SessionRow> list_sessions(Lease& lease, const UserId& user) {
    std::vector<SessionRow> sessions;
    for (const auto& row : run(lease, select_sessions, user)) {
        sessions.push_back({row[0].as<std::string>(), row[1].as<std::string>(),
                            row[2].as<std::string>(), row[3].as<bool>()});
    }
    return sessions;
}

} // namespace usershell::store
