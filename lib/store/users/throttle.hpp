// Attempts that must not come too fast (sign-ins, password resets): a row a subject, shared by all
// processes and machines. A subject is a hash, so that the table has no names.
#pragma once

#include "store/database/database.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

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
