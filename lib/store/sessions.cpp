#include "store/sessions.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/steps.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement sign_in{"sign_request_in", by_workers, {R"sql(
SELECT user_id, session_id, email, display_name, antiforgery_key, since_sign_in, remembered
FROM usershell.sign_request_in($1))sql"}};

// A second try after a lost answer finds the row of the first, and writes the same to it.
constexpr Statement insert_session{"start_session", by_manage, {R"sql(
INSERT INTO usershell.sessions (owner_id, id, token_hash, antiforgery_key, remembered, idle, ends_at, expires_at)
SELECT u.id, $2, $3::bytea, $4::bytea, $5, t.idle, now() + t.absolute, now() + least(t.idle, t.absolute)
FROM usershell.users u,
     (SELECT make_interval(secs => $6) AS idle, make_interval(secs => $7) AS absolute) t
WHERE u.id = $1 AND NOT u.is_disabled
ON CONFLICT (owner_id, id) DO UPDATE SET token_hash = $3)sql"}};

constexpr Statement delete_session{
    "end_session", by_manage, {"DELETE FROM usershell.sessions WHERE owner_id = $1 AND id = $2"}};

constexpr Statement delete_other_sessions{
    "end_other_sessions",
    by_manage,
    {"DELETE FROM usershell.sessions WHERE owner_id = $1 AND id IS DISTINCT FROM $2"}};

constexpr Statement update_session{"reissue_session", by_manage, {R"sql(
UPDATE usershell.sessions SET token_hash = $3::bytea, antiforgery_key = $4::bytea
WHERE owner_id = $1 AND id = $2)sql"}};

constexpr Statement update_signed_in_at{
    "renew_sign_in",
    by_manage,
    {"UPDATE usershell.sessions SET signed_in_at = now() WHERE owner_id = $1 AND id = $2"}};

constexpr Statement sweep{"sweep_sessions", by_manage, {"SELECT usershell.sweep_sessions($1)"}};

Caller caller_of(const pqxx::row& row) {
    return {.user = id_of<UserId>(row[0]),
            .session = id_of<SessionId>(row[1]),
            .email = row[2].as<std::string>(),
            .display_name = row[3].as<std::string>(),
            .antiforgery_key = bytes_of(row[4]),
            .since_sign_in = std::chrono::seconds{row[5].as<long long>()},
            .remembered = row[6].as<bool>()};
}

} // namespace

StatementList session_statements() {
    static constexpr std::array list{
        &sign_in,        &insert_session,      &delete_session, &delete_other_sessions,
        &update_session, &update_signed_in_at, &sweep};
    return list;
}

std::optional<Caller> sign_request_in(Lease& lease, const std::string& token_hash) {
    return with_retry(lease, [&](const StoreFault*) -> std::optional<Caller> {
        lease.act_as(std::nullopt);
        Connection& connection = lease.unidentified_connection();
        connection.forget_identity();
        const auto rows = connection.run(sign_in, Bytes{token_hash});
        if (rows.empty()) {
            connection.identity_is(std::nullopt);
            return std::nullopt;
        }
        Caller caller = caller_of(rows[0]);
        connection.identity_is(caller.user);
        lease.act_as(caller.user);
        return caller;
    });
}

void start_session(Lease& lease, const UserId& user, const NewSession& session) {
    lease.act_as(user);
    const auto started =
        run(lease, insert_session, user, session.id, Bytes{session.token_hash},
            Bytes{session.antiforgery_key}, session.remembered, session.idle, session.absolute);
    if (started.affected_rows() == 0) {
        lease.act_as(std::nullopt);
        throw Refusal{ErrorCode::not_signed_in, "This account can't sign in."};
    }
}

bool end_session(Lease& lease, const UserId& user, const SessionId& session) {
    return run_delete(lease, delete_session, user, session);
}

int end_other_sessions(Lease& lease, const UserId& user, const std::optional<SessionId>& keep) {
    return static_cast<int>(run(lease, delete_other_sessions, user, keep).affected_rows());
}

void reissue_session(Lease& lease, const UserId& user, const SessionId& session,
                     const std::string& token_hash, const std::string& antiforgery_key) {
    run(lease, update_session, user, session, Bytes{token_hash}, Bytes{antiforgery_key});
}

void keep_session_only(Transaction& transaction, const UserId& user, const SessionId& session,
                       const std::string& token_hash, const std::string& antiforgery_key) {
    transaction.run(delete_other_sessions, user, std::optional{session});
    transaction.run(update_session, user, session, Bytes{token_hash}, Bytes{antiforgery_key});
}

void renew_sign_in(Lease& lease, const UserId& user, const SessionId& session) {
    run(lease, update_signed_in_at, user, session);
}

int sweep_sessions(Lease& lease, int limit) { return run(lease, sweep, limit)[0][0].as<int>(); }

} // namespace usershell::store
