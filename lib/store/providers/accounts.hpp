// Accounts: the named keys of a provider; and facts of all its keys.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"
#include "store/providers/health.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A provider key on its way into the store: sealed, and what may be shown of it. There is no way
/// back: role usershell_manage may not select a ciphertext.
struct StoredKey {
    crypto::SealedKey sealed;
    std::string hint;
    std::string address; ///< type and base URL that it was entered for, not encrypted
};

struct Account {
    AccountId id;
    std::string name;
    std::string key_hint;
    bool has_key = false;
    /// Why the key is held back: one of rules::words::key_addresses.
    std::optional<std::string> key_entered_for{};
    bool is_enabled = true;
    int priority = 0; ///< ascending: the order of rotation
    HealthState health{};
};

struct NewAccount {
    AccountId id;
    std::string name;
    std::optional<int> priority; ///< null: the highest plus 1 (at most 1,000)
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
/// `enabled` null: toggles.
Account set_account_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                            const AccountId& account, std::optional<bool> enabled);
void delete_account(Lease& lease, const UserId& owner, const ProviderId& provider,
                    const AccountId& account);

struct KeyError {
    std::optional<AccountId> account; ///< null: the provider's own key
    Timestamp at{};
    std::string message; ///< a stored Sentence without any key
};
/// Facts of a provider's keys that the list lacks, as the first changes with every call.
struct KeyFacts {
    std::optional<AccountId> next_in_turn; ///< null: no account takes turns
    std::vector<KeyError> errors{}; ///< the newest first, at most rules::max_key_errors a key
};
/// Throws Refusal not_found when there is no such provider of that owner.
KeyFacts find_key_facts(Lease& lease, const UserId& owner, const ProviderId& provider);

} // namespace usershell::store
