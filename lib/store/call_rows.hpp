// The statements that begin calls and read their sealed keys: usershell-opener's. Its role has no
// right to any table of users. It has a right to functions of sql/0022_calls.sql and
// 0023_token_calls.sql, which take the token of a caller's session or an access token, or the id of
// a call that began with one. Errors are those of run() (store/database/run.hpp).
#pragma once

#include "store/database/database.hpp"
#include "store/database/values.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

enum class CallStatement {
    begin_call,       ///< of a page
    begin_token_call, ///< of a tool
    load_provider,    ///< for a tool's call that has begun without one
    next_key,         ///< of a call under way
};

/// The answer to one statement, which is made with these values as texts. No row: the store has
/// found no right to it. A second attempt after a lost answer begins no second call, but may take
/// one more turn of a rotation.
Texts call_rows(Lease& lease, CallStatement statement,
                const std::vector<std::optional<std::string>>& values);

} // namespace usershell::store
