#include "store/users/links.hpp"

#include "store/database/run.hpp"
#include "store/users/signed_in.hpp"

#include <array>
#include <string_view>

namespace usershell::store {

namespace {

const Statement list{
    "open_links", by_auth, {"SELECT kind, made_at, expires_at FROM usershell.open_links()"}};

const Statement end_one{"end_link", by_auth, {"SELECT usershell.end_link($1)"}};

} // namespace

std::vector<OpenLink> open_links(Lease& lease) {
    return run(lease, list).all([](const Row& row) {
        return OpenLink{row.get<std::string>("kind"), row.get<Timestamp>("made_at"),
                        row.get<Timestamp>("expires_at")};
    });
}

void end_link(Lease& lease, const std::string& kind) { write(lease, end_one, kind); }

namespace {

const Statement pending{"pending_email", by_pages, {"SELECT usershell.pending_email() AS email"}};

const Statement start{
    "start_email_change",
    by_auth,
    {"SELECT usershell.start_email_change($1, $2, $3, $4, $5, $6, $7) AS outcome"}};

const Statement confirm{"confirm_email_change",
                        by_auth,
                        {"SELECT usershell.confirm_email_change($1, $2, $3, $4, $5) AS stamp"},
                        "This address is in use by now. Your address has not been changed."_en};

/// In the order of ChangeStart.
constexpr std::array<std::string_view, 4> outcomes{"started", "address_unusable",
                                                   "too_many_attempts", "session_ended"};

} // namespace

std::optional<std::string> pending_email(Lease& lease) {
    return run(lease, pending).front().get<std::optional<std::string>>("email");
}

ChangeStart start_email_change(Lease& lease, const SignInId& sign_in, const EmailChange& change,
                               const QueuedMail& confirmation) {
    Rows rows = write(lease, start, sign_in, change.address.shown, change.address.normalized,
                      Bytes{change.token_hash}, change.lifetime, confirmation.id,
                      Bytes{confirmation.sealed.bytes()});
    return rows.front().one_of<ChangeStart>(outcomes, "outcome");
}

std::optional<std::string> confirm_email_change(Lease& lease, const EmailConfirmation& confirmation,
                                                const std::optional<QueuedMail>& notice) {
    const auto id = notice ? std::optional{notice->id} : std::nullopt;
    Rows rows = write(lease, confirm, confirmation.normalized_email, Bytes{confirmation.token_hash},
                      composite(confirmation.keys), id,
                      Bytes{notice ? notice->sealed.bytes() : std::string{}});
    return new_stamp_in(lease, rows, confirmation.keys);
}

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
