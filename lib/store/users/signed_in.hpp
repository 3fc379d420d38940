// Shared by the statements that check a session or give it new keys. Inside lib/store only.
#pragma once

#include "store/database/run.hpp"
#include "store/users/sessions.hpp"

#include <optional>
#include <string>

namespace usershell::store {

/// Of a row of usershell.sign_request_in().
Caller caller_of(const Row& row);

/// As PostgreSQL reads a value of the type usershell.session_keys.
std::string composite(const SessionKeys& keys);

/// The new stamp in the row of a function that ends the user's other sessions and gives the lease's
/// session new keys, which the lease presents from then on; null: there is none.
std::optional<std::string> new_stamp_in(Lease& lease, Rows& rows, const SessionKeys& keys);

/// Runs a statement whose first parameter is the hash of a session's token and which presents that
/// session: `read(row)` of its row. The lease presents the session from then on; without a row,
/// none.
template <class Read, class... Values>
auto signed_in_by(Lease& lease, Read read, const Statement& statement,
                  const std::string& token_hash, const Values&... values) {
    return with_retry(lease, [&](const StoreFault*) {
        lease.present({});
        Connection& connection = lease.any_connection();
        connection.forget_presented();
        auto found = connection.run(statement, Bytes{token_hash}, values...).first(read);
        const std::string presented = found ? token_hash : std::string{};
        lease.present(presented);
        connection.presents(presented);
        return found;
    });
}

} // namespace usershell::store
