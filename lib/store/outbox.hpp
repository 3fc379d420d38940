// Mail waiting to be sent: queued in the transaction that causes it, sent by usershell-mail, tried
// again with growing delay. A queued mail is sealed for its owner, because it may contain a
// one-time link: neither a dump nor another program shows text or address.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A mail on its way into the store.
struct QueuedMail {
    MailId id; ///< also the Message-ID of every attempt
    std::string
        kind; ///< a word for the operator: "email-change", "password-reset", "invitation", …
    crypto::SealedMail sealed;
};

/// A mail taken for one attempt to send it. No other process takes it for `hold`; if it is
/// killed, another one takes the mail later.
struct TakenMail {
    UserId owner;
    MailId id;
    std::string kind;
    crypto::SealedMail sealed;
    int attempts; ///< this one counted
};
std::optional<TakenMail> take_mail(Lease& lease, std::chrono::seconds hold);

/// Sent: the row goes.
void mail_sent(Lease& lease, const TakenMail& mail);
/// To be tried again after `wait`.
void mail_delayed(Lease& lease, const TakenMail& mail, std::chrono::seconds wait,
                  const std::string& reason);
/// Given up: kept for the operator to see, its content dropped.
void mail_failed(Lease& lease, const TakenMail& mail, const std::string& reason);

/// For the operator's metrics.
struct OutboxState {
    std::int64_t queued;
    std::int64_t failed;
    std::int64_t seconds_waited; ///< by the one that has been queued for longest
};
OutboxState outbox_state(Lease& lease);

/// For the operator (usershellctl mail): what waits or has failed, oldest first.
struct MailRow {
    std::string id;
    std::string owner_email;
    std::string kind;
    std::string state; ///< "queued" or "failed"
    int attempts = 0;
    std::optional<Timestamp> next_attempt; ///< null when failed
    std::string reason;
};
std::vector<MailRow> list_mail(Lease& lease);

/// For the operator: a queued mail is tried at once; false when no queued mail has that id. A
/// failed one can't be tried again, as its content is gone.
bool retry_mail(Lease& lease, const MailId& mail);
/// Deletes a queued or failed mail unsent; false when there is none of that id.
bool drop_mail(Lease& lease, const MailId& mail);

} // namespace usershell::store
