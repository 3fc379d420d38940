// Mailed links of users: those that can still be used, and what each kind does.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "domain/email.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"
#include "store/users/sessions.hpp"
#include "store/users/users.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

// The mailed links of the user whose session the lease presents, which can still be used: what a
// person sees of them, and their end.

struct OpenLink {
    std::string kind; ///< of its mail: "password-reset", "invitation", "email-change"
    Timestamp made_at;
    Timestamp expires_at;
};
/// The newest first.
std::vector<OpenLink> open_links(Lease& lease);

/// Ends the link of that kind, if there is one.
void end_link(Lease& lease, const std::string& kind);

// Changes of a user's login address: at most one pending each, confirmed by a token of which only
// the hash is stored. Every function is about the user whose session the lease presents.

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
    session_ended,     ///< or the sign-in is not good for it
};

/// Counts the attempt, replaces a pending change and queues its mail: all in one transaction.
ChangeStart start_email_change(Lease& lease, const SignInId& sign_in, const EmailChange& change,
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

// One-time links that set a password: sent by "forgot password" and by the operator
// (user_admin.hpp). Only the hash of the token is stored. A new link replaces the older one of its
// kind; the use of either ends both.

struct PasswordReset {
    std::string token_hash;
    std::chrono::seconds lifetime{};
    bool invitation = false;
};

/// The recipient of a mail for a typed address: the user's stored address, never the typed one.
/// Addresses are compared case-folded, and two different mailboxes may fold to the same text
/// ("ſtraße@…" and "strasse@…", CVE-2019-19844).
struct Recipient {
    StampedUser who; ///< the global owner when the address is unknown, or a disabled user's
    std::string email;
};
/// Does the same work for an unknown address and returns `typed`, so that a mail can be written.
/// Needs no identity.
Recipient find_recipient(Lease& lease, const EmailAddress& typed);

/// Stores the link and queues its mail, if the recipient still has that stamp; otherwise the mail
/// is queued to be discarded. One statement with the same work, so that the two can't be told
/// apart. Needs no identity.
void ask_password_reset(Lease& lease, const Recipient& recipient, const PasswordReset& reset,
                        const QueuedMail& mail);

struct OpenReset {
    UserId user;
    bool invitation = false;
    std::string normalized_email;
    std::string display_name;
};
/// Nothing for an unknown, used, replaced or expired token, or one of an earlier security stamp.
/// Needs no identity.
std::optional<OpenReset> find_password_reset(Lease& lease, const std::string& token_hash);

/// Consumes the token, sets the password and ends all of the user's sessions, in one transaction.
/// Returns the user's new stamp, empty when a first attempt, whose answer was lost, has done it;
/// null when the token is not good any more.
std::optional<std::string> finish_password_reset(Lease& lease, const std::string& token_hash,
                                                 const std::string& password_hash);

} // namespace usershell::store
