#include "store/users/password_resets.hpp"

#include "store/database/run.hpp"

namespace usershell::store {

namespace {

const Statement select_recipient{
    "find_recipient",
    by_auth,
    {"SELECT user_id, security_stamp, email FROM usershell.find_recipient($1, $2)"}};

const Statement ask{
    "ask_password_reset", by_auth, {"SELECT usershell.ask_password_reset($1, $2, $3, $4, $5, $6)"}};

const Statement select_reset{"find_password_reset",
                             by_auth,
                             {"SELECT user_id, invitation, normalized_email, display_name FROM "
                              "usershell.find_password_reset($1)"}};

const Statement finish_reset{
    "finish_password_reset", by_auth, {"SELECT usershell.finish_password_reset($1, $2) AS stamp"}};

} // namespace

Recipient find_recipient(Lease& lease, const EmailAddress& typed) {
    Rows rows = run(lease, select_recipient, typed.normalized, typed.shown);
    const Row row = rows.front();
    return {{row.get<UserId>("user_id"), row.bytes("security_stamp")},
            row.get<std::string>("email")};
}

void ask_password_reset(Lease& lease, const Recipient& recipient, const PasswordReset& reset,
                        const QueuedMail& mail) {
    write(lease, ask, recipient.who.user, Bytes{recipient.who.stamp}, Bytes{reset.token_hash},
          reset.lifetime, mail.id, Bytes{mail.sealed.bytes()});
}

std::optional<OpenReset> find_password_reset(Lease& lease, const std::string& token_hash) {
    return run(lease, select_reset, Bytes{token_hash}).first([](const Row& row) {
        return OpenReset{.user = row.get<UserId>("user_id"),
                         .invitation = row.get<bool>("invitation"),
                         .normalized_email = row.get<std::string>("normalized_email"),
                         .display_name = row.get<std::string>("display_name")};
    });
}

std::optional<std::string> finish_password_reset(Lease& lease, const std::string& token_hash,
                                                 const std::string& password_hash) {
    std::string stamp;
    const auto keep_stamp = [&stamp](Rows& rows) {
        const Row row = rows.front();
        if (!row.is_null("stamp")) stamp = row.bytes("stamp");
        return !stamp.empty();
    };
    const bool finished =
        run_once(lease, keep_stamp, finish_reset, Bytes{token_hash}, password_hash);
    return finished ? std::optional{stamp} : std::nullopt;
}

} // namespace usershell::store
