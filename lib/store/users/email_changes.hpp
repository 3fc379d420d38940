// Changes of a user's login address: at most one pending each, confirmed by a token of which only
// the hash is stored. Every function is about the user whose session the lease presents.
#pragma once

#include "base/ids.hpp"
#include "domain/email.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"
#include "store/users/sessions.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace usershell::store {

/// The address waiting to be confirmed, as it was typed; null when there is none or it has
/// expired or was asked for under an earlier security stamp.
std::optional<std::string> pending_email(Lease& lease);

struct EmailChange {
    EmailAddress address;
    std::string token_hash;
    std::chrono::seconds lifetime{};
};

enum class ChangeStart {
    started,
    address_unusable,  ///< in use, or the user's own; counted as an attempt, nothing else changed
    too_many_attempts, ///< or too many mails, within the hour
    session_ended,     ///< or its user's security stamp was redrawn
};

/// Counts the attempt, replaces a pending change and queues its mail: all in one transaction.
ChangeStart start_email_change(Lease& lease, const EmailChange& change,
                               const QueuedMail& confirmation);

struct EmailConfirmation {
    std::string normalized_email;
    std::string token_hash;
    SessionKeys keys; ///< new ones of the session, which is kept
};

/// Consumes the token, changes the address, ends the user's other sessions, gives this one a new
/// token and queues the notice to the old address (when given): all in one transaction. Returns the
/// user's new stamp; null, and nothing changed, for an unknown, used, superseded or expired token,
/// one of an earlier security stamp or another address; Refusal conflict, and nothing changed, when
/// it is another user's address by now.
std::optional<std::string> confirm_email_change(Lease& lease, const EmailConfirmation& confirmation,
                                                const std::optional<QueuedMail>& notice);

} // namespace usershell::store
