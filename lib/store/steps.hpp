// Steps that transactions of several nouns share. Inside lib/store only.
#pragma once

#include "store/database/run.hpp"
#include "store/outbox.hpp"
#include "store/users/password_resets.hpp"
#include "store/users/session_keys.hpp"

#include <string>

namespace usershell::store {

/// Queues a mail of that user.
void insert_mail(Transaction& transaction, const UserId& user, const QueuedMail& mail);

/// A link with which that user sets a password, in place of an older one.
void upsert_password_reset(Transaction& transaction, const UserId& user,
                           const PasswordReset& reset);

/// Locks the user's row; true when that session of theirs is good under the stamp that it has now.
bool lock_session(Transaction& transaction, const UserId& user, const SessionId& session);

/// After a security event that this session has caused: ends the user's other sessions, and gives
/// this one new tokens and the new stamp.
void keep_session_only(Transaction& transaction, const UserId& user, const SessionId& session,
                       const SessionKeys& keys);

} // namespace usershell::store
