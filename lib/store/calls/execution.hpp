// What the execution program reads and writes: a provider with its sealed keys, the rotation
// position, health, cool-downs, and how many calls a user has under way. Only role
// usershell_execute may.
#pragma once

#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"
#include "store/providers/health.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// One key that a call may use: the provider's own or an account's.
struct CallKey {
    std::optional<AccountId> account;
    std::string name; ///< the account's label; empty for the provider's own
    bool is_enabled = true;
    bool cooling = false; ///< refused or rate limited a short while ago
    crypto::SealedKey sealed;
};

struct CallProvider {
    ProviderId id;
    std::string name;
    std::string type;
    std::string base_url;
    bool active = false;
    bool round_robin_accounts = false;
    std::optional<CallKey> own_key;
    std::vector<CallKey> accounts;           ///< enabled or not, ascending priority then name
    std::vector<std::string> enabled_models; ///< in the order added
    std::vector<std::string> all_models;
};
std::optional<CallProvider> load_call_provider(Lease& lease, const UserId& owner,
                                               const ProviderId& provider);

/// Ids of the user's active providers, in list order.
std::vector<ProviderId> active_providers(Lease& lease, const UserId& owner);

/// The rotation position of this call, and one step further for the next: shared by all processes.
std::uint64_t next_rotation(Lease& lease, const UserId& owner, const ProviderId& provider);

/// What one call has shown. All in one transaction; rows that are gone meanwhile, or whose key or
/// base URL was changed meanwhile, are left alone.
struct KeyHealth {
    std::optional<AccountId> account; ///< nothing: the provider's own key
    std::string sealed; ///< the very ciphertext tried: another one there now is not judged
    Health health = Health::healthy;
    std::string message; ///< plain sentence without any key; empty when healthy
    std::optional<std::chrono::seconds> cool_down;
};
struct HealthUpdate {
    ProviderId provider;
    std::string base_url; ///< the one called
    Health health = Health::healthy;
    std::string message{};
    std::vector<KeyHealth> keys{};
};
void record_health(Lease& lease, const UserId& owner, const HealthUpdate& report);

/// A place among the calls that a user may have under way at a time (rules::max_calls), shared by
/// all processes. It expires when not renewed for a minute (a killed process keeps none
/// for long).
std::optional<std::string> take_call_slot(Lease& lease, const UserId& owner);
void renew_call_slot(Lease& lease, const UserId& owner, const std::string& slot);
void release_call_slot(Lease& lease, const UserId& owner, const std::string& slot);

} // namespace usershell::store
