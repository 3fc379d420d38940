// The provider list of a user as it was last answered, kept beside its rows: while it is unchanged,
// another answer costs a look at one row, by the statement that checks the session. Each change of
// a provider, model or account draws a new version (sql/0015_provider_lists.sql), by which a page
// learns that the list is unchanged.
#pragma once

#include "store/database/database.hpp"
#include "store/providers/providers.hpp"
#include "store/users/sessions.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

struct KeptList {
    std::string version;                   ///< 16 random bytes; empty: there has been no list yet
    std::optional<std::string> document{}; ///< nothing: not kept, of another build, or not wanted
};

struct ListCaller {
    Caller caller;
    KeptList list;
};

/// sign_request_in() with that user's list, in one statement. `build`: of this program, whose
/// documents alone count. `with_document`: else the version only, which costs less.
std::optional<ListCaller> sign_request_in_with_list(Lease& lease, const std::string& token_hash,
                                                    const std::string& build, bool with_document);

/// The list as it is kept.
KeptList find_list(Lease& lease, const UserId& owner, const std::string& build);

struct ReadList {
    std::string version;
    std::vector<Provider> providers; ///< the oldest first
};

/// The rows of the list, with their version.
ReadList read_list(Lease& lease, const UserId& owner);

/// Keeps the list's document, unless the list has another version by now.
void keep_list(Lease& lease, const UserId& owner, const std::string& version,
               const std::string& build, const std::string& document);

} // namespace usershell::store
