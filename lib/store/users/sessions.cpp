#include "store/users/sessions.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/steps.hpp"
#include "store/users/signed_in.hpp"

namespace usershell::store {

namespace {

const Statement sign_in{"sign_request_in", by_manage, {R"sql(
SELECT user_id, session_id, email, display_name, antiforgery_key, since_sign_in, remembered
FROM usershell.sign_request_in($1))sql"}};

// A second attempt after a lost answer finds the row of the first, and writes the same to it.
const Statement insert_session{"start_session", by_manage, {R"sql(
INSERT INTO usershell.sessions (owner_id, security_stamp, id, token_hash, calls_token_hash, antiforgery_key,
                                remembered, idle, max_expires_at, expires_at, browser, client_address)
SELECT u.id, u.security_stamp, $3, $4::bytea, $5::bytea, $6::bytea, $7, t.idle, now() + t.absolute,
       now() + least(t.idle, t.absolute), $10, $11
FROM usershell.users u,
     (SELECT make_interval(secs => $8) AS idle, make_interval(secs => $9) AS absolute) t
WHERE u.id = $1 AND u.security_stamp = $2::bytea AND NOT u.is_disabled
ON CONFLICT (owner_id, id) DO UPDATE SET token_hash = $4::bytea)sql"}};

const Statement delete_session{
    "end_session", by_manage, {"DELETE FROM usershell.sessions WHERE owner_id = $1 AND id = $2"}};

const Statement select_sessions{"open_sessions", by_manage, {R"sql(
SELECT s.id, s.browser, s.client_address, usershell.microseconds(s.created_at) AS created_at,
       usershell.microseconds(s.last_seen_at) AS last_seen_at
FROM usershell.sessions s
JOIN usershell.users u ON u.id = s.owner_id AND u.security_stamp = s.security_stamp
WHERE s.owner_id = $1 AND s.expires_at > now() ORDER BY s.last_seen_at DESC, s.id)sql"}};

// The stamp ends them; a row that the other program's role holds is left to the sweep.
const Statement delete_other_sessions{"end_other_sessions", by_manage, {R"sql(
DELETE FROM usershell.sessions WHERE (owner_id, id) IN (
    SELECT owner_id, id FROM usershell.sessions WHERE owner_id = $1 AND id IS DISTINCT FROM $2 FOR UPDATE SKIP LOCKED))sql"}};

// The trigger puts a random one in its place.
const Statement redraw_stamp{"redraw_stamp",
                             by_manage,
                             {"UPDATE usershell.users SET security_stamp = DEFAULT WHERE id = $1"}};

const Statement select_session{"lock_session", by_manage, {R"sql(
SELECT 1 FROM usershell.users u
JOIN usershell.sessions s ON s.owner_id = u.id AND s.id = $2 AND s.security_stamp = u.security_stamp
WHERE u.id = $1 FOR NO KEY UPDATE OF u)sql"}};

const Statement restamp_session{"restamp_session", by_manage, {R"sql(
UPDATE usershell.sessions s
SET token_hash = $3::bytea, calls_token_hash = $4::bytea, antiforgery_key = $5::bytea,
    security_stamp = u.security_stamp
FROM usershell.users u WHERE s.owner_id = $1 AND s.id = $2 AND u.id = s.owner_id)sql"}};

const Statement update_session{"reissue_session", by_manage, {R"sql(
UPDATE usershell.sessions
SET token_hash = $3::bytea, calls_token_hash = $4::bytea, antiforgery_key = $5::bytea
WHERE owner_id = $1 AND id = $2)sql"}};

const Statement update_signed_in_at{"renew_sign_in", by_manage, {R"sql(
UPDATE usershell.sessions
SET token_hash = $3::bytea, calls_token_hash = $4::bytea, antiforgery_key = $5::bytea, signed_in_at = now()
WHERE owner_id = $1 AND id = $2)sql"}};

const Statement sweep{
    "sweep_sessions", by_manage, {"SELECT usershell.sweep_sessions($1) AS swept"}};

} // namespace

Caller caller_of(const Row& row) {
    return {.user = row.get<UserId>("user_id"),
            .session = row.get<SessionId>("session_id"),
            .email = row.get<std::string>("email"),
            .display_name = row.get<std::string>("display_name"),
            .antiforgery_key = row.bytes("antiforgery_key"),
            .since_sign_in = row.get<std::chrono::seconds>("since_sign_in"),
            .remembered = row.get<bool>("remembered"),
            .calls_token_hash = {}};
}

std::optional<Caller> sign_request_in(Lease& lease, const std::string& token_hash) {
    return signed_in_by(lease, caller_of, sign_in, Bytes{token_hash});
}

void start_session(Lease& lease, const StampedUser& verified, const NewSession& session) {
    lease.act_as(verified.user);
    const SessionKeys& keys = session.keys;
    const Rows started = run(lease, insert_session, verified.user, Bytes{verified.stamp},
                             session.id, Bytes{keys.token_hash}, Bytes{keys.calls_token_hash},
                             Bytes{keys.antiforgery_key}, session.remembered, session.idle,
                             session.absolute, session.browser, session.client_address);
    if (started.affected() == 0) {
        lease.act_as(std::nullopt);
        throw Refusal{ErrorCode::not_signed_in, "This account can't sign in."};
    }
}

bool end_session(Lease& lease, const UserId& user, const SessionId& session) {
    return run_delete(lease, delete_session, user, session);
}

std::vector<OpenSession> open_sessions(Lease& lease, const UserId& user) {
    return run(lease, select_sessions, user).all([](const Row& row) {
        return OpenSession{.id = row.get<SessionId>("id"),
                           .browser = row.get<std::string>("browser"),
                           .client_address = row.get<std::string>("client_address"),
                           .since = row.get<Timestamp>("created_at"),
                           .last_seen_at = row.get<Timestamp>("last_seen_at")};
    });
}

int sign_out_everywhere(Lease& lease, const UserId& user) {
    return transact(lease, [&](Transaction& transaction) {
        transaction.run(redraw_stamp, user);
        return static_cast<int>(
            transaction.run(delete_other_sessions, user, std::optional<SessionId>{}).affected());
    });
}

bool lock_session(Transaction& transaction, const UserId& user, const SessionId& session) {
    return !transaction.run(select_session, user, session).empty();
}

void reissue_session(Lease& lease, const UserId& user, const SessionId& session,
                     const SessionKeys& keys) {
    run(lease, update_session, user, session, Bytes{keys.token_hash}, Bytes{keys.calls_token_hash},
        Bytes{keys.antiforgery_key});
}

void keep_session_only(Transaction& transaction, const UserId& user, const SessionId& session,
                       const SessionKeys& keys) {
    transaction.run(delete_other_sessions, user, std::optional{session});
    transaction.run(restamp_session, user, session, Bytes{keys.token_hash},
                    Bytes{keys.calls_token_hash}, Bytes{keys.antiforgery_key});
}

void renew_sign_in(Lease& lease, const UserId& user, const SessionId& session,
                   const SessionKeys& keys) {
    run(lease, update_signed_in_at, user, session, Bytes{keys.token_hash},
        Bytes{keys.calls_token_hash}, Bytes{keys.antiforgery_key});
}

int sweep_sessions(Lease& lease, int limit) {
    return run(lease, sweep, limit).front().get<int>("swept");
}

} // namespace usershell::store
