// Accounts: the named keys of a provider.
#pragma once

#include "base/ids.hpp"
#include "store/database/database.hpp"
#include "store/providers/health.hpp"
#include "store/providers/stored_key.hpp"

#include <optional>
#include <string>

namespace usershell::store {

struct Account {
    AccountId id;
    std::string name;
    std::string key_hint;
    bool has_key = false;
    /// Why the key is held back: one of
    /// rules::words::key_addresses.
    std::optional<std::string> key_entered_for{};
    bool is_enabled = true;
    int priority = 0; ///< ascending: the order of rotation
    HealthState health{};
};

struct NewAccount {
    AccountId id;
    std::string name;
    std::optional<int> priority; ///< nothing: the highest plus 1 (at most 1,000)
};

bool has_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                 const AccountId& account);
/// The new account, or the provider's account that has this id already. Throws Refusal cap_reached
/// beyond rules::max_accounts.
Account add_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const NewAccount& account, const StoredKey& key);
/// Fields that are not given stay.
Account edit_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const AccountId& account, const std::optional<std::string>& name,
                     std::optional<int> priority);
/// Health back to unknown.
Account set_account_key(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const AccountId& account, const StoredKey& key);
/// `enabled` nothing: toggles.
Account set_account_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                            const AccountId& account, std::optional<bool> enabled);
void delete_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const AccountId& account);

} // namespace usershell::store
