// Access tokens as the operator sees and revokes them: role usershell_owner alone (usershellctl).
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

struct TokenSummary {
    AccessTokenId id;
    std::string name;
    std::string selector;
    Timestamp created_at{};
    Timestamp expires_at{};
    std::optional<Timestamp> last_used_at{};
    std::string last_used_network{};
};
/// The user's that have not ended, the newest first.
std::vector<TokenSummary> list_tokens(Lease& lease, const UserId& user);

/// Revokes the user's token of that id, or all of theirs (null) made on that day of UTC
/// ("2026-11-25") or later (null: ever). Returns how many.
int operator_revoke_tokens(Lease& lease, const UserId& user, const std::optional<AccessTokenId>& id,
                           const std::optional<std::string>& since);

} // namespace usershell::store
