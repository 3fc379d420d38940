// Checks an address and a password, when the connection has no identity yet. The hash never leaves
// the database: it gives out salt and cost, is given the hash to compare, and throttles how often
// that is done (sql/0005_passwords.sql).
#pragma once

#include "base/ids.hpp"
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

/// For what a person shows a password or a passkey. A sign-in is good for nothing else.
enum class Deed { session, token, password, address, factor, deletion };
/// As the database names it.
const std::string& word_of(Deed deed);

/// A row that the database has made: a password or a passkey was right. A session begins with one,
/// and each other deed of the session that goes on, within five minutes and once. It may want a
/// second factor (store/users/factors.hpp). Under a later stamp, or for another visitor, it is good
/// for nothing.
struct SignIn {
    StampedUser who;
    SignInId id;
    std::string visitor;    ///< as check_password() was given it
    bool is_enough = false; ///< for its deed, without a second factor
};

struct PasswordVerdict {
    std::optional<SignIn> verified; ///< null: wrong
    std::string hash;               ///< the one that was right
    std::optional<std::chrono::seconds>
        wait; ///< too many wrong ones lately: the password was not checked
};
/// `hashes`: the password given, in each form that may have been hashed; an empty one is never
/// right, and each is a try. `fresh_hash`: the same password hashed again, which takes the place of
/// the stored one if one is right; empty: that stays. The attempts are counted and committed before
/// the hashes are compared, so that no rollback undoes the count. `browser`: who tries, in words; a
/// wrong one is an event that the user sees. `deed`: what the sign-in will be good for; `visitor`:
/// for a session, 32 bytes that this browser alone brings. Each other deed is of the session that
/// the lease presents, and its user's password alone is right.
PasswordVerdict check_password(Lease& lease, const std::string& normalized_email,
                               const std::vector<std::string>& hashes, const std::string& browser,
                               Deed deed, const std::string& visitor,
                               const std::string& fresh_hash = {});

// Attempts that must not come too fast (sign-ins, password resets): a row a subject, shared by all
// processes and machines. A subject is a hash, so that the table has no names.

struct Throttle {
    std::string subject;              ///< 32 bytes
    int free_attempts = 0;            ///< without any delay
    std::chrono::seconds max_delay{}; ///< the delay doubles from one second up to this
};

/// Counts an attempt of all these subjects at once, or of none: null when it may go on (it
/// counts as failed until clear_attempts), else how long to wait. One statement: parallel attempts
/// can't slip through together, and one that is blocked leaves no row. A subject untouched for an
/// hour after its delay starts afresh.
std::optional<std::chrono::seconds> take_attempt(Lease& lease,
                                                 const std::vector<Throttle>& subjects);

/// The attempt was good: forgets all failures of the subject.
void clear_attempts(Lease& lease, const std::string& subject);

/// Takes back one attempt, which was good or was never made; earlier failures still count.
void forgive_attempt(Lease& lease, const std::string& subject);

/// Removes what has expired or has no effect any more, of all users: attempts, one-time links,
/// pending changes of address. At most `limit` rows of each; returns how many.
int sweep_leftovers(Lease& lease, int limit);

} // namespace usershell::store
