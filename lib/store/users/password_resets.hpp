// One-time links that set a password: sent by "forgot password" and by the operator's invitation.
// Only the hash of the token is stored; a new link replaces the older one.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace usershell::store {

struct PasswordReset {
    std::string token_hash;
    std::chrono::seconds lifetime{};
    bool invitation = false;
};

/// Stores the link and queues its mail in one transaction: the operator's, for an invitation.
void start_password_reset(Lease& lease, const UserId& user, const PasswordReset& reset,
                          const QueuedMail& mail);

/// The same for whoever has that address; for an address that is nobody's, or a disabled user's,
/// the mail is queued to be thrown away. One statement with the same work, so that the two can't be
/// told apart. Needs no identity.
void ask_password_reset(Lease& lease, const std::string& normalized_email,
                        const PasswordReset& reset, const QueuedMail& mail);

struct OpenReset {
    UserId user;
    bool invitation = false;
    std::string normalized_email;
    std::string display_name;
};
/// Nothing for an unknown, used, replaced or expired token. Needs no identity.
std::optional<OpenReset> find_password_reset(Lease& lease, const std::string& token_hash);

/// Consumes the token, sets the password and ends all of the user's sessions, in one transaction;
/// false when the token is not good any more.
bool finish_password_reset(Lease& lease, const std::string& token_hash,
                           const std::string& password_hash);

} // namespace usershell::store
