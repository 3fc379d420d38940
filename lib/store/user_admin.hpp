// People as the operator sees and changes them: role usershell_owner alone (usershellctl). A person
// is named by their normalized address; every function that takes one throws Refusal not_found when
// it is nobody's.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"

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
    std::string created_at; ///< RFC 3339, UTC
    int providers = 0;
    int sessions = 0; ///< good ones
};

/// Everybody, by address.
std::vector<UserSummary> list_users(Lease& lease);
UserSummary find_user(Lease& lease, const std::string& normalized_email);

/// A new password; ends all their sessions.
void operator_set_password(Lease& lease, const UserId& user, const std::string& password_hash);

/// A disabled person can't sign in, and their sessions are ended; everything of theirs stays.
void set_disabled(Lease& lease, const UserId& user, bool disabled);

/// With everything that is theirs.
void delete_user(Lease& lease, const UserId& user);

struct SessionRow {
    std::string signed_in_at; ///< RFC 3339, UTC, as the others
    std::string last_seen_at;
    std::string ends_at;
    bool remembered = false;
};
std::vector<SessionRow> list_sessions(Lease& lease, const UserId& user);

} // namespace usershell::store
