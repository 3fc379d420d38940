// Accounts: the named keys of a provider. Documents are JSON texts of an Account (docs/contract.md,
// section 5).
// Every function throws Refusal not_found when there is no such provider or account of that owner.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"
#include "store/providers.hpp"

#include <optional>
#include <string>

namespace usershell::store {

struct NewAccount {
    AccountId id;
    std::string name;
    std::optional<int> priority; ///< nothing: the highest plus 1 (at most 1,000)
};

bool has_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                 const AccountId& account);
/// Throws cap_reached at the eleventh.
std::string add_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const NewAccount& account, const StoredKey& key);
std::string edit_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                         const AccountId& account, const std::optional<std::string>& name,
                         std::optional<int> priority);
/// Health back to unknown.
std::string set_account_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                            const AccountId& account, const StoredKey& key);
/// `enabled` nothing: toggles.
std::string set_account_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                                const AccountId& account, std::optional<bool> enabled);
void delete_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const AccountId& account);

} // namespace usershell::store
