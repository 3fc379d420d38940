#include "store/users/user_admin.hpp"

#include "base/error.hpp"
#include "store/database/run.hpp"

namespace usershell::store {

namespace {

constexpr std::string_view summaries = R"sql(
SELECT u.id, u.email, u.display_name, u.is_disabled, u.password_hash <> '' AS has_password,
       usershell.microseconds(u.created_at) AS created_at,
       (SELECT count(*) FROM usershell.providers p WHERE p.owner_id = u.id) AS providers,
       (SELECT count(*) FROM usershell.sessions s WHERE s.owner_id = u.id AND s.expires_at > now()
                                                    AND s.security_stamp = u.security_stamp) AS sessions
FROM usershell.users u )sql";

const Statement select_users{
    "list_users",
    by_owner,
    {summaries, "WHERE u.normalized_email <> '' ORDER BY u.normalized_email"}};

const Statement select_user{
    "find_user", by_owner, {summaries, "WHERE u.normalized_email = $1 AND $1 <> ''"}};

// A second attempt after a lost answer finds the row of the first.
const Statement insert_user{"add_user",
                            by_owner,
                            {R"sql(
INSERT INTO usershell.users (id, email, normalized_email, display_name, password_hash)
VALUES ($1, $2, $3, $4, usershell.stored_hash($5))
ON CONFLICT (id) DO NOTHING)sql"},
                            "This e-mail address is in use."_en};

const Statement upsert_reset{"start_password_reset", by_owner, {R"sql(
INSERT INTO usershell.password_resets (owner_id, security_stamp, token_hash, invitation, expires_at)
SELECT u.id, u.security_stamp, sha256($2::bytea), $3::boolean, now() + make_interval(secs => $4)
FROM usershell.users u WHERE u.id = $1
ON CONFLICT (owner_id, invitation) DO UPDATE
SET token_hash = excluded.token_hash, security_stamp = excluded.security_stamp, expires_at = excluded.expires_at,
    made_at = excluded.made_at)sql"}};

// A second attempt after a lost answer finds the row of the first.
const Statement insert_mail{"queue_mail", by_owner, {R"sql(
INSERT INTO usershell.outbox (owner_id, id, kind, sealed) VALUES ($1, $2, $3, $4)
ON CONFLICT DO NOTHING)sql"}};

const Statement update_password{
    "operator_set_password",
    by_owner,
    {"UPDATE usershell.users SET password_hash = usershell.stored_hash($2) WHERE id = $1"}};

const Statement update_disabled{
    "set_disabled", by_owner, {"UPDATE usershell.users SET is_disabled = $2 WHERE id = $1"}};

// As end_other_sessions does.
const Statement end_sessions{"end_all_sessions", by_owner, {R"sql(
DELETE FROM usershell.sessions WHERE (owner_id, id) IN (
    SELECT owner_id, id FROM usershell.sessions WHERE owner_id = $1 OR $1::uuid IS NULL FOR UPDATE SKIP LOCKED))sql"}};

const Statement remove{"delete_user", by_owner, {"DELETE FROM usershell.users WHERE id = $1"}};

const Statement select_sessions{"list_sessions", by_owner, {R"sql(
SELECT usershell.microseconds(signed_in_at) AS signed_in_at, usershell.microseconds(last_seen_at) AS last_seen_at,
       usershell.microseconds(max_expires_at) AS expires_at, remembered, browser, client_address
FROM usershell.sessions s
WHERE owner_id = $1 AND expires_at > now()
  AND security_stamp = (SELECT u.security_stamp FROM usershell.users u WHERE u.id = $1)
ORDER BY s.last_seen_at DESC, id)sql"}};

const Statement select_restored{"restored_state", by_owner, {R"sql(
WITH held AS (SELECT owner_id FROM usershell.providers WHERE has_key
              UNION ALL SELECT owner_id FROM usershell.accounts WHERE has_key)
SELECT usershell.microseconds(greatest((SELECT max(happened_at) FROM usershell.events),
                                       (SELECT max(last_seen_at) FROM usershell.sessions),
                                       (SELECT max(created_at) FROM usershell.users))) AS newest,
       (SELECT count(*) FROM held) AS keys, (SELECT count(DISTINCT owner_id) FROM held) AS people_with_keys)sql"}};

// By the new stamp all is ended. The rows go, too, but for those that another role holds.
const Statement redraw_stamps{
    "redraw_stamps",
    by_owner,
    {"UPDATE usershell.users SET security_stamp = DEFAULT WHERE id = $1 OR $1::uuid IS NULL"}};
const Statement remove_resets{
    "delete_password_resets",
    by_owner,
    {"DELETE FROM usershell.password_resets WHERE owner_id = $1 OR $1::uuid IS NULL"}};
const Statement remove_changes{
    "delete_email_changes",
    by_owner,
    {"DELETE FROM usershell.email_changes WHERE owner_id = $1 OR $1::uuid IS NULL"}};
const Statement remove_ended_tokens{"delete_access_tokens", by_owner, {R"sql(
DELETE FROM usershell.access_tokens WHERE owner_id = $1 OR $1::uuid IS NULL)sql"}};
const Statement remove_recovery_codes{
    "delete_recovery_codes", by_owner, {"DELETE FROM usershell.recovery_codes"}};
const Statement empty_outbox{"delete_all_mail", by_owner, {"DELETE FROM usershell.outbox"}};

const Statement tell_of_factors{"tell_of_restored_factors", by_owner, {R"sql(
SELECT usershell.note_event(u.id, 'factors_restored', '', '', '') FROM usershell.users u WHERE usershell.has_factor(u.id))sql"}};

const Statement select_factors{"find_factors", by_owner, {R"sql(
SELECT 'authenticator app' AS factor, usershell.microseconds(made_at) AS made_at, NULL::bigint AS left_over
  FROM usershell.apps WHERE owner_id = $1
 UNION ALL
SELECT 'passkey ' || name, usershell.microseconds(made_at), NULL FROM usershell.passkeys WHERE owner_id = $1
 UNION ALL
SELECT 'recovery codes', NULL, count(*) FROM usershell.recovery_codes WHERE owner_id = $1 HAVING count(*) > 0 OR usershell.has_factor($1)
 ORDER BY 2)sql"}};

const Statement count_stray{"count_stray_passkeys", by_owner, {R"sql(
SELECT count(*) AS stray FROM usershell.passkeys WHERE rp_id <> $1)sql"}};

const Statement remove_factors{
    "reset_factors", by_owner, {"SELECT usershell.reset_factors($1) AS is_done"}};

const Statement select_policy{"read_policy", by_owner, {R"sql(
SELECT p.second_factor, (SELECT count(*) FROM usershell.users u
                          WHERE u.normalized_email <> '' AND NOT u.is_disabled
                            AND NOT CASE p.second_factor WHEN 'passkey' THEN usershell.has_passkey(u.id)
                                    ELSE usershell.has_factor(u.id) END) AS without_factor
FROM usershell.policy p)sql"}};

const Statement update_policy{
    "set_second_factor", by_owner, {"UPDATE usershell.policy SET second_factor = $1"}};

UserSummary user_of(const Row& row) {
    return {.id = row.get<UserId>("id"),
            .email = row.get<std::string>("email"),
            .display_name = row.get<std::string>("display_name"),
            .disabled = row.get<bool>("is_disabled"),
            .has_password = row.get<bool>("has_password"),
            .created_at = row.get<Timestamp>("created_at"),
            .providers = row.get<int>("providers"),
            .sessions = row.get<int>("sessions")};
}

void add_link(Transaction& transaction, const UserId& user, const PasswordReset& reset,
              const QueuedMail& mail) {
    transaction.run(upsert_reset, user, Bytes{reset.token_hash}, reset.invitation, reset.lifetime);
    transaction.run(insert_mail, user, mail.id, mail.kind, Bytes{mail.sealed.bytes()});
}

void end_all(Transaction& transaction, const std::optional<UserId>& user) {
    for (const Statement* statement :
         {&redraw_stamps, &end_sessions, &remove_resets, &remove_changes, &remove_ended_tokens})
        transaction.run(*statement, user);
}

/// Changes a user and ends their sessions, together.
template <class... Values>
void change_and_sign_out(Lease& lease, const UserId& user, const Statement& change,
                         const Values&... values) {
    transact(lease, [&](Transaction& transaction) {
        if (transaction.run(change, user, values...).affected() == 0) throw not_found();
        transaction.run(end_sessions, user);
    });
}

} // namespace

std::vector<UserSummary> list_users(Lease& lease) { return run(lease, select_users).all(user_of); }

std::optional<UserSummary> find_user(Lease& lease, const std::string& normalized_email) {
    return run(lease, select_user, normalized_email).first(user_of);
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
        add_link(transaction, user, reset, mail);
    });
}

void start_password_reset(Lease& lease, const UserId& user, const PasswordReset& reset,
                          const QueuedMail& mail) {
    transact(lease, [&](Transaction& transaction) { add_link(transaction, user, reset, mail); });
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

void sign_out(Lease& lease, const std::optional<UserId>& user) {
    transact(lease, [&](Transaction& transaction) { end_all(transaction, user); });
}

void end_everything(Lease& lease) {
    transact(lease, [](Transaction& transaction) {
        end_all(transaction, std::nullopt);
        transaction.run(remove_recovery_codes);
        transaction.run(empty_outbox);
        transaction.run(tell_of_factors);
    });
}

RestoredState restored_state(Lease& lease) {
    Rows rows = run(lease, select_restored);
    const Row row = rows.front();
    return {row.get<std::optional<Timestamp>>("newest"), row.get<int>("keys"),
            row.get<int>("people_with_keys")};
}

std::vector<FactorRow> factors_of(Lease& lease, const UserId& user) {
    return run(lease, select_factors, user).all([](const Row& row) {
        return FactorRow{row.get<std::string>("factor"),
                         row.get<std::optional<Timestamp>>("made_at"),
                         row.get<std::optional<std::int64_t>>("left_over")};
    });
}

int stray_passkeys(Lease& lease, const std::string& host) {
    return run(lease, count_stray, host).front().get<int>("stray");
}

bool reset_factors(Lease& lease, const UserId& user) {
    return run_once(
        lease, [](Rows& rows) { return rows.front().get<bool>("is_done"); }, remove_factors, user);
}

Policy read_policy(Lease& lease) {
    Rows rows = run(lease, select_policy);
    const Row row = rows.front();
    return {row.get<std::string>("second_factor"), row.get<int>("without_factor")};
}

void set_second_factor(Lease& lease, const std::string& second_factor) {
    write(lease, update_policy, second_factor);
}

std::vector<SessionRow> list_sessions(Lease& lease, const UserId& user) {
    return run(lease, select_sessions, user).all([](const Row& row) {
        return SessionRow{.signed_in_at = row.get<Timestamp>("signed_in_at"),
                          .last_seen_at = row.get<Timestamp>("last_seen_at"),
                          .expires_at = row.get<Timestamp>("expires_at"),
                          .remembered = row.get<bool>("remembered"),
                          .browser = row.get<std::string>("browser"),
                          .client_address = row.get<std::string>("client_address")};
    });
}

} // namespace usershell::store
