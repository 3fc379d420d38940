// Checks an address and a password, when the connection has no identity yet. The hash never leaves
// the database: it gives out salt and cost, is given the hash to compare, and throttles how often
// that is done (sql/0005_passwords.sql).
#pragma once

#include "store/database/database.hpp"
#include "store/users/users.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

struct PasswordSalt {
    StampedUser who; ///< the global owner when the address is unknown, or a disabled user's
    std::string salt_and_cost; ///< as crypto::PasswordHasher takes it
};
/// Does the same work for known and unknown addresses. An unknown address, and a user without a
/// password, have a made-up salt and the cost of another user, always the same for that address;
/// `usual_cost` as long as no user has a password.
PasswordSalt find_password(Lease& lease, const std::string& normalized_email,
                           const std::string& usual_cost);

struct PasswordVerdict {
    std::optional<StampedUser> verified; ///< null: wrong
    std::string hash;                    ///< the one that was right
    std::optional<std::chrono::seconds>
        wait; ///< too many wrong ones lately: the password was not checked
};
/// `hashes`: the password given, in each form that may have been hashed; an empty one is never
/// right, and each is a try. `fresh_hash`: the same password hashed anew, which takes the place of
/// the stored one if one is right; empty: that stays. The attempts are counted and committed before
/// the hashes are compared, so that no rollback undoes the count. `browser`: who tries, in words; a
/// wrong one is an event that the user sees.
PasswordVerdict check_password(Lease& lease, const std::string& normalized_email,
                               const std::vector<std::string>& hashes, const std::string& browser,
                               const std::string& fresh_hash = {});

} // namespace usershell::store
