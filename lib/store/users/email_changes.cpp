#include "store/users/email_changes.hpp"

#include "store/database/run.hpp"
#include "store/users/signed_in.hpp"

#include <array>
#include <string_view>

namespace usershell::store {

namespace {

const Statement pending{"pending_email", by_pages, {"SELECT usershell.pending_email() AS email"}};

const Statement start{"start_email_change",
                      by_auth,
                      {"SELECT usershell.start_email_change($1, $2, $3, $4, $5, $6) AS outcome"}};

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

ChangeStart start_email_change(Lease& lease, const EmailChange& change,
                               const QueuedMail& confirmation) {
    Rows rows = write(lease, start, change.address.shown, change.address.normalized,
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

} // namespace usershell::store
