// Steps that transactions of several nouns share. Inside lib/store only.
#pragma once

#include "store/database/run.hpp"
#include "store/outbox.hpp"
#include "store/users/password_resets.hpp"
#include "store/users/session_keys.hpp"

#include <optional>
#include <string>

namespace usershell::store {

/// Queues a mail of that user.
void insert_mail(Transaction& transaction, const UserId& user, const QueuedMail& mail);

/// A link with which that user sets a password, in place of an older one.
void upsert_password_reset(Transaction& transaction, const UserId& user,
                           const PasswordReset& reset);

/// The new stamp in the row of a function that ends the user's other sessions and gives the lease's
/// session new keys, which the lease presents from then on; null: there is none.
std::optional<std::string> new_stamp_in(Lease& lease, Rows& rows, const SessionKeys& keys);

} // namespace usershell::store
