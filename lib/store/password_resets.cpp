#include "store/password_resets.hpp"

#include "store/database/run.hpp"
#include "store/database/statements.hpp"
#include "store/steps.hpp"

#include <array>

namespace usershell::store {

namespace {

constexpr Statement upsert_reset{"start_password_reset", by_owner, {R"sql(
INSERT INTO usershell.password_resets (owner_id, token_hash, invitation, expires_at)
VALUES ($1, $2::bytea, $3::boolean, now() + make_interval(secs => $4))
ON CONFLICT (owner_id) DO UPDATE
SET token_hash = $2::bytea, invitation = $3::boolean, expires_at = now() + make_interval(secs => $4))sql"}};

constexpr Statement expire_reset{
    "end_password_reset",
    by_manage,
    {"UPDATE usershell.password_resets SET expires_at = now() WHERE owner_id = $1"}};

constexpr Statement ask{
    "ask_password_reset", by_manage, {"SELECT usershell.ask_password_reset($1, $2, $3, $4, $5)"}};

constexpr Statement select_reset{
    "find_password_reset",
    by_manage,
    {"SELECT user_id, invitation, normalized_email FROM usershell.find_password_reset($1)"}};

constexpr Statement finish_reset{
    "finish_password_reset", by_manage, {"SELECT usershell.finish_password_reset($1, $2)"}};

} // namespace

StatementList password_reset_statements() {
    static constexpr std::array list{&upsert_reset, &expire_reset, &ask, &select_reset,
                                     &finish_reset};
    return list;
}

void start_password_reset(Lease& lease, const UserId& user, const PasswordReset& reset,
                          const QueuedMail& mail) {
    transact(lease, [&](Transaction& transaction) {
        transaction.run(upsert_reset, user, Bytes{reset.token_hash}, reset.invitation,
                        reset.lifetime);
        insert_mail(transaction, user, mail);
    });
}

void end_password_reset(Transaction& transaction, const UserId& user) {
    transaction.run(expire_reset, user);
}

void ask_password_reset(Lease& lease, const std::string& normalized_email,
                        const PasswordReset& reset, const QueuedMail& mail) {
    run(lease, ask, normalized_email, Bytes{reset.token_hash}, reset.lifetime, mail.id,
        Bytes{mail.sealed.bytes()});
}

std::optional<OpenReset> find_password_reset(Lease& lease, const std::string& token_hash) {
    const auto rows = run(lease, select_reset, Bytes{token_hash});
    if (rows.empty()) return std::nullopt;
    return OpenReset{id_of<UserId>(rows[0][0]), rows[0][1].as<bool>(),
                     rows[0][2].as<std::string>()};
}

bool finish_password_reset(Lease& lease, const std::string& token_hash,
                           const std::string& password_hash) {
    return with_retry(lease, [&](const StoreFault* before) {
        const bool done =
            lease.connection().run(finish_reset, Bytes{token_hash}, password_hash)[0][0].as<bool>();
        return done || (before != nullptr && before->statement() == finish_reset.name);
    });
}

} // namespace usershell::store
