#include "store/users/sessions.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/users/signed_in.hpp"

namespace usershell::store {

namespace {

const Statement sign_in{"sign_request_in", by_manage, {R"sql(
SELECT user_id, session_id, email, display_name, antiforgery_key, since_sign_in, remembered
FROM usershell.sign_request_in($1))sql"}};

const Statement start{
    "start_session",
    by_manage,
    {"SELECT usershell.start_session($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS is_started"}};

const Statement end_one{"end_session", by_manage, {"SELECT usershell.end_session($1) AS is_ended"}};

const Statement list{"open_sessions",
                     by_manage,
                     {"SELECT id, browser, client_address, created_at, last_seen_at FROM "
                      "usershell.open_sessions()"}};

const Statement end_all{
    "sign_out_everywhere", by_manage, {"SELECT usershell.sign_out_everywhere() AS ended"}};

const Statement reissue{"reissue_session", by_manage, {"SELECT usershell.reissue_session($1, $2)"}};

const Statement renew{"renew_sign_in", by_manage, {"SELECT usershell.renew_sign_in($1, $2, $3)"}};

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
    return signed_in_by(lease, caller_of, sign_in, token_hash);
}

void start_session(Lease& lease, const StampedUser& verified, const NewSession& session) {
    const SessionKeys& keys = session.keys;
    Rows started =
        run(lease, start, verified.user, Bytes{verified.stamp}, session.id, Bytes{keys.token_hash},
            Bytes{keys.calls_token_hash}, Bytes{keys.antiforgery_key}, session.remembered,
            session.idle, session.absolute, session.browser, session.client_address);
    if (!started.front().get<bool>("is_started"))
        throw Refusal{ErrorCode::not_signed_in, "This account can't sign in."};
    lease.present(keys.token_hash);
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

int sign_out_everywhere(Lease& lease) { return run(lease, end_all).front().get<int>("ended"); }

void reissue_session(Lease& lease, const SessionKeys& keys) {
    run(lease, reissue, Bytes{keys.token_hash}, Bytes{keys.calls_token_hash});
    lease.present(keys.token_hash);
}

void renew_sign_in(Lease& lease, const SessionKeys& keys) {
    run(lease, renew, Bytes{keys.token_hash}, Bytes{keys.calls_token_hash},
        Bytes{keys.antiforgery_key});
    lease.present(keys.token_hash);
}

int sweep_sessions(Lease& lease, int limit) {
    return run(lease, sweep, limit).front().get<int>("swept");
}

} // namespace usershell::store
