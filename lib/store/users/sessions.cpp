#include "store/users/sessions.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/users/signed_in.hpp"

namespace usershell::store {

namespace {

const Statement sign_in_managing{"sign_request_in", by_manage, {R"sql(
SELECT user_id, session_id, email, display_name, antiforgery_key, cookie_seconds
FROM usershell.sign_request_in($1))sql"}};

const Statement sign_in_auth{"sign_auth_request_in", by_auth, {R"sql(
SELECT user_id, session_id, email, display_name, antiforgery_key, frame_key, cookie_seconds
FROM usershell.sign_auth_request_in($1))sql"}};

const Statement start{
    "start_session",
    by_auth,
    {"SELECT usershell.start_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) AS is_started"}};

const Statement end_one{"end_session", by_auth, {"SELECT usershell.end_session($1) AS is_ended"}};

const Statement list{"open_sessions",
                     by_auth,
                     {"SELECT id, browser, client_address, created_at, last_seen_at FROM "
                      "usershell.open_sessions()"}};

const Statement end_all{
    "sign_out_everywhere", by_auth, {"SELECT usershell.sign_out_everywhere() AS ended"}};

const Statement renew{
    "renew_sign_in", by_auth, {"SELECT usershell.renew_sign_in($1, $2) AS is_renewed"}};

const Statement sweep{"sweep_sessions", by_auth, {"SELECT usershell.sweep_sessions($1) AS swept"}};

} // namespace

Caller caller_of(const Row& row) {
    return {.user = row.get<UserId>("user_id"),
            .session = row.get<SessionId>("session_id"),
            .email = row.get<std::string>("email"),
            .display_name = row.get<std::string>("display_name"),
            .antiforgery_key = row.bytes("antiforgery_key"),
            .cookie_lifetime = row.get<std::optional<std::chrono::seconds>>("cookie_seconds")};
}

std::string composite(const SessionKeys& keys) {
    return composite_of({bytea(keys.token_hash), bytea(keys.calls_token_hash),
                         bytea(keys.auth_token_hash), bytea(keys.antiforgery_key),
                         bytea(keys.auth_antiforgery_key)});
}

std::optional<std::string> new_stamp_in(Lease& lease, Rows& rows, const SessionKeys& keys) {
    const Row row = rows.front();
    if (row.is_null("stamp")) return std::nullopt;
    lease.present(keys.auth_token_hash);
    return row.bytes("stamp");
}

std::optional<Caller> sign_request_in(Lease& lease, const std::string& token_hash) {
    return signed_in_by(lease, caller_of, sign_in_managing, token_hash);
}

std::optional<Caller> sign_auth_request_in(Lease& lease, const std::string& auth_token_hash) {
    const auto read = [](const Row& row) {
        Caller caller = caller_of(row);
        caller.frame_key = row.bytes("frame_key");
        return caller;
    };
    return signed_in_by(lease, read, sign_in_auth, auth_token_hash);
}

void start_session(Lease& lease, const SignIn& sign_in, const NewSession& session) {
    Rows started = write(lease, start, sign_in.who.user, sign_in.id, Bytes{sign_in.visitor},
                         session.id, composite(session.keys), session.remembered, session.idle,
                         session.absolute, session.browser, session.client_address);
    if (!started.front().get<bool>("is_started"))
        throw Refusal{ErrorCode::not_signed_in, "This account can’t sign in."_en};
    lease.present(session.keys.auth_token_hash);
}

bool end_session(Lease& lease, const SessionId& session) {
    return run_once(
        lease, [](Rows& rows) { return rows.front().get<bool>("is_ended"); }, end_one, session);
}

std::vector<OpenSession> open_sessions(Lease& lease) {
    return run(lease, list).all([](const Row& row) {
        return OpenSession{.id = row.get<SessionId>("id"),
                           .browser = row.get<std::string>("browser"),
                           .client_address = row.get<std::string>("client_address"),
                           .since = row.get<Timestamp>("created_at"),
                           .last_seen_at = row.get<Timestamp>("last_seen_at")};
    });
}

int sign_out_everywhere(Lease& lease) { return write(lease, end_all).front().get<int>("ended"); }

bool renew_sign_in(Lease& lease, const SignIn& sign_in, const SessionKeys& keys) {
    const bool renewed =
        write(lease, renew, sign_in.id, composite(keys)).front().get<bool>("is_renewed");
    if (renewed) lease.present(keys.auth_token_hash);
    return renewed;
}

int sweep_sessions(Lease& lease, int limit) {
    return run(lease, sweep, limit).front().get<int>("swept");
}

} // namespace usershell::store
