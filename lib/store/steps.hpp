// Steps that transactions of several nouns share. Inside lib/store only.
#pragma once

#include "store/database/run.hpp"
#include "store/outbox.hpp"

#include <string>

namespace usershell::store {

/// Queues a mail of that user.
void insert_mail(Transaction& transaction, const UserId& user, const QueuedMail& mail);

/// Ends the user's sessions but one, which gets a new token.
void keep_session_only(Transaction& transaction, const UserId& user, const SessionId& session,
                       const std::string& token_hash, const std::string& antiforgery_key);

/// A mailed link that sets the user's password stops working: it may lie in a mailbox that is no
/// longer theirs.
void end_password_reset(Transaction& transaction, const UserId& user);

} // namespace usershell::store
