// Entries of the earlier flat vault (sql/0018_legacy.sql): folded into providers and accounts by a
// function of the database, and put there by an operator's import.
#pragma once

#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::store {

/// The data of a kind of provider for fold_legacy_vault().
struct LegacyKind {
    std::string_view kind;
    std::string_view label;
    std::string_view default_base_url; ///< empty: there is none
    bool owns_base_url;
};

/// The outcome for one user's entries.
struct LegacyFold {
    UserId owner;
    int folded = 0;
    int newly_left = 0; ///< stay, for a reason that is new
};

/// Folds the entries of the next user after `after`, in one transaction; null when there is
/// none. May be called by several processes at a time, and again after it was cut off. Role
/// usershell_manage.
std::optional<LegacyFold> fold_legacy_vault(Lease& lease, const UserId& after,
                                            const std::vector<LegacyKind>& kinds);

/// How many entries of the lease's user did not fit.
int count_legacy_entries(Lease& lease);

struct LegacyEntry {
    UserId owner;
    VaultEntryId id;
    std::string kind;
    std::string label;
    std::string base_url;
    crypto::SealedKey sealed;
};
/// Adds all of them or none. Role usershell_owner.
void add_legacy_entries(Lease& lease, const std::vector<LegacyEntry>& entries);

/// For the operator: what waits, or did not fit, and why.
struct LegacyRow {
    std::string owner_email;
    std::string kind;
    std::string label;
    std::string stays; ///< "full", "unknown kind", "no address"; empty: waits for the next start
};
std::vector<LegacyRow> list_legacy_entries(Lease& lease);

} // namespace usershell::store
