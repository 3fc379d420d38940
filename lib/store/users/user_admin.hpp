// Users as the operator sees and changes them: role usershell_owner alone (usershellctl).
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "domain/email.hpp"
#include "store/database/database.hpp"
#include "store/outbox.hpp"
#include "store/users/links.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

struct UserSummary {
    UserId id;
    std::string email;
    std::string display_name;
    bool disabled = false;
    bool has_password = false;
    Timestamp created_at;
    int providers = 0;
    int sessions = 0; ///< good ones
};

/// All, by address.
std::vector<UserSummary> list_users(Lease& lease);
std::optional<UserSummary> find_user(Lease& lease, const std::string& normalized_email);

/// Throws Refusal conflict when the address is in use.
void add_user(Lease& lease, const UserId& user, const EmailAddress& email,
              const std::string& display_name, const std::string& password_hash);

/// Adds a user without a password, the link with which they choose one and its mail, all or
/// none. Throws Refusal conflict when the address is in use.
void add_invited_user(Lease& lease, const UserId& user, const EmailAddress& email,
                      const std::string& display_name, const PasswordReset& reset,
                      const QueuedMail& mail);

/// Stores a link and queues its mail, in one transaction.
void start_password_reset(Lease& lease, const UserId& user, const PasswordReset& reset,
                          const QueuedMail& mail);

/// A new password; ends all their sessions and whatever else was made under the stamp before.
void operator_set_password(Lease& lease, const UserId& user, const std::string& password_hash);

/// A disabled user can't sign in, and their sessions are ended; everything of theirs stays.
void set_disabled(Lease& lease, const UserId& user, bool disabled);

/// With everything that is theirs.
void delete_user(Lease& lease, const UserId& user);

/// Ends all sessions, mailed links, pending changes of address, access tokens and device cookies of
/// that user, or of everybody (null). Queued mail stays; its links are dead.
void sign_out(Lease& lease, const std::optional<UserId>& user);

/// After a restore, which brings back rows that had been deleted since the backup: ends every
/// session, mailed link, pending change of address, device cookie, recovery code and queued mail of
/// all users. Each user with a second factor gets a mail.
void end_everything(Lease& lease);

/// Facts of a restored database.
struct RestoredState {
    std::optional<Timestamp> newest; ///< of anything that it knows to have happened
    int keys = 0;                    ///< of all people
    int people_with_keys = 0;
};
RestoredState restored_state(Lease& lease);

struct FactorRow {
    std::string what; ///< "authenticator app", "passkey NAME" or "recovery codes"
    std::optional<Timestamp> made_at;
    std::optional<std::int64_t> left; ///< of recovery codes
};
std::vector<FactorRow> factors_of(Lease& lease, const UserId& user);
/// Passkeys of all users that were made for another host.
int stray_passkeys(Lease& lease, const std::string& host);

/// Removes a user's second factors with the recovery codes, and ends what sign_out() ends. False:
/// they have none.
bool reset_factors(Lease& lease, const UserId& user);

struct Policy {
    std::string second_factor; ///< "optional", "required" or "passkey"
    int without_factor = 0;    ///< users without one who may sign in
};
Policy read_policy(Lease& lease);
void set_second_factor(Lease& lease, const std::string& second_factor);

struct SessionRow {
    Timestamp signed_in_at;
    Timestamp last_seen_at;
    Timestamp expires_at; ///< at the latest, however much it is used
    bool remembered = false;
    std::string browser;
    std::string client_address;
};
std::vector<SessionRow> list_sessions(Lease& lease, const UserId& user);

} // namespace usershell::store
