// Shared by the statements that check a session. Inside lib/store only.
#pragma once

#include "store/database/run.hpp"
#include "store/users/sessions.hpp"

#include <optional>

namespace usershell::store {

/// Of a row of usershell.sign_request_in().
Caller caller_of(const Row& row);

inline const Caller& caller_in(const Caller& caller) { return caller; }

/// Runs a statement that checks a session and sets the connection's identity: `read(row)` of its
/// row, if there is one, and the lease acts as that user, or as none.
template <class Read, class... Values>
auto signed_in_by(Lease& lease, Read read, const Statement& statement, const Values&... values) {
    return with_retry(lease, [&](const StoreFault*) {
        lease.act_as(std::nullopt);
        Connection& connection = lease.unidentified_connection();
        connection.forget_identity();
        auto found = connection.run(statement, values...).first(read);
        const auto user = found ? std::optional{caller_in(*found).user} : std::nullopt;
        lease.act_as(user);
        connection.identity_is(user);
        return found;
    });
}

} // namespace usershell::store
