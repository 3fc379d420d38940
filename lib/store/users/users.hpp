// Users: those who sign in.
#pragma once

#include "base/ids.hpp"
#include "base/text.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>

namespace usershell::store {

/// What signing in needs to know, and nothing that is shown: found before there is an identity.
struct Credentials {
    UserId user;
    std::string password_hash; ///< empty: none set yet
    bool disabled = false;
};
std::optional<Credentials> find_credentials(Lease& lease, const std::string& normalized_email);

/// Adds a user, by the operator (usershellctl). Throws Refusal conflict when the address is in use.
void add_user(Lease& lease, const UserId& user, const EmailAddress& email,
              const std::string& display_name, const std::string& password_hash);

void set_password_hash(Lease& lease, const UserId& user, const std::string& password_hash);
/// The user's own change of it: their other sessions end, this one gets a new token, a mailed link
/// that sets a password stops working; all in one transaction.
void change_password(Lease& lease, const UserId& user, const std::string& password_hash,
                     const SessionId& session, const std::string& token_hash,
                     const std::string& antiforgery_key);
void set_display_name(Lease& lease, const UserId& user, const std::string& display_name);

} // namespace usershell::store
