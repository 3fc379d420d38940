// One-time links that set a password: sent by "forgot password" and by the operator's invitation. Only the hash
// of the token is stored; a new link replaces the older one.
#pragma once

#include "base/ids.hpp"
#include "store/database.hpp"
#include "store/outbox.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace usershell {

struct PasswordReset {
    std::string token_hash;
    std::chrono::seconds lifetime{};
    bool invitation = false;
};

/// Stores the link and queues its mail in one transaction; the lease acts as that user, or is the operator's.
void start_password_reset(Lease& lease, const UserId& user, const PasswordReset& reset, const QueuedMail& mail);

/// The same work for an address that is nobody's, so that the two can't be told apart: a mail is queued that the
/// courier throws away.
void start_no_password_reset(Lease& lease, const QueuedMail& mail);

struct OpenReset {
    UserId user;
    bool invitation = false;
};
/// Nothing for an unknown, used, replaced or expired token. Needs no identity.
std::optional<OpenReset> find_password_reset(Lease& lease, const std::string& token_hash);

/// Consumes the token, sets the password and ends all of the user's sessions, in one transaction; false when the
/// token is not good any more.
bool finish_password_reset(Lease& lease, const std::string& token_hash, const std::string& password_hash);

} // namespace usershell
