// One-time links that set a password: sent by "forgot password" and by the operator
// (user_admin.hpp). Only the hash of the token is stored. A new link replaces the older one of its
// kind; the use of either ends both.
#pragma once

#include "base/ids.hpp"
#include "domain/email.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"
#include "store/users/users.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace usershell::store {

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
