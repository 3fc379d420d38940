// The parts of a provider: its models, its accounts (named keys), its headers, and the health of
// each key. Keys arrive sealed.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::store {

enum class Health { unknown, healthy, degraded, unhealthy };

/// The word in the store and in the contract's `healthStatus`.
std::string_view name_of(Health health);

struct HealthState {
    Health status = Health::unknown;
    std::string message; ///< a stored Sentence without any key; empty when healthy or unknown
    std::optional<Timestamp> checked_at{};
    /// When a key was refused or rate limited: until then other keys are tried first. May have
    /// passed.
    std::optional<Timestamp> cooldown_until{};
};

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

struct Header {
    std::string name;                             ///< in lower case
    std::optional<std::string> key_entered_for{}; ///< as an account's
};

/// Adds it, or replaces its value. Throws Refusal not_found when there is no such provider,
/// cap_reached beyond rules::max_headers, password_needed.
void set_header(Lease& lease, const UserId& owner, const ProviderId& provider,
                const std::string& name, const StoredKey& value);
/// Throws Refusal not_found.
void delete_header(Lease& lease, const UserId& owner, const ProviderId& provider,
                   const std::string& name);

struct Model {
    std::string model_id;
    std::string display_name;
    std::string capabilities; ///< words of the contract, separated by commas
    bool is_enabled = true;
    int position = 0; ///< grows in the order that the person has given them
};

struct NewModel {
    std::string model_id;
    std::string display_name;
    std::string capabilities;
};

bool has_model(Lease& lease, const UserId& owner, const ProviderId& provider,
               const std::string& model_id);
/// Throws Refusal conflict for an id the provider has already, cap_reached beyond
/// rules::max_models.
Model add_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                const NewModel& model);
/// `enabled` null: toggles.
Model set_model_enabled(Lease& lease, const UserId& owner, const ProviderId& provider,
                        const std::string& model_id, std::optional<bool> enabled);
Model set_model_name(Lease& lease, const UserId& owner, const ProviderId& provider,
                     const std::string& model_id, const std::string& display_name);
Model set_model_capabilities(Lease& lease, const UserId& owner, const ProviderId& provider,
                             const std::string& model_id, const std::string& capabilities);
/// Moves it to that position among the provider's models, counted from 1; to the last where there
/// are fewer.
Model set_model_position(Lease& lease, const UserId& owner, const ProviderId& provider,
                         const std::string& model_id, int position);
void delete_model(Lease& lease, const UserId& owner, const ProviderId& provider,
                  const std::string& model_id);

} // namespace usershell::store
