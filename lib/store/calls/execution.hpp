// What usershell-execute reads and writes: a provider with its sealed keys, the rotation position,
// health, cooldowns, and how many calls a user has under way. Only role usershell_execute may do
// so. It has no right to any table, only to the functions of sql/0005_calls.sql, which take the
// token of a caller's session or the id of a call that began with one.
#pragma once

#include "base/ids.hpp"
#include "crypto/secret.hpp"
#include "store/database/database.hpp"
#include "store/providers/health.hpp"
#include "store/users/sessions.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

/// A call that has begun. Its id entitles the holder to write for this call. Valid for a minute,
/// longer if it is renewed, and at most a minute longer than the call has a right to run.
struct CallId {
    UserId user;
    std::string id; ///< random, so that nobody can guess it
};

/// Ends the call, so that the user may begin another. A call that is neither ended nor renewed (its
/// process was killed) ends by itself after a minute.
void end_call(Lease& lease, const CallId& call);
/// Renews them in one statement. Returns the ids of those that have a right to run: their session
/// is good, and their provider is there and as active as it was. End the others.
std::vector<std::string> renew_calls(Lease& lease, const std::vector<CallId>& calls);

/// One key that a call may use: the provider's own or an account's.
struct CallKey {
    std::optional<AccountId> account;
    std::string name; ///< of the account; empty for the provider's own
    bool is_enabled = true;
    bool is_in_cooldown = false; ///< refused or rate limited a short while ago
    bool is_unhealthy = false;   ///< an account's last known health
    crypto::SealedKey sealed;
};

struct CallProvider {
    ProviderId id;
    std::string name;
    std::string type;
    std::string base_url;
    bool is_active = false;
    bool round_robin_accounts = false;
    std::optional<CallKey> own_key;
    std::vector<CallKey> accounts;           ///< enabled or not, ascending priority then name
    std::vector<std::string> enabled_models; ///< in the order added
    std::vector<std::string> all_models;
};

/// What a call begins with.
struct CallStart {
    Caller caller;
    std::optional<CallId> call; ///< nothing: the caller has rules::max_calls under way
    /// The one that was named, if it is the caller's; else all active ones, in list order.
    std::vector<CallProvider> providers;
};

/// Begins a call of the caller whose token for calls has that hash, in one statement. Nothing when
/// their session is not good.
std::optional<CallStart> begin_call(Lease& lease, const std::string& calls_token_hash,
                                    const std::optional<ProviderId>& provider);

/// The rotation position of this call, and one step further for the next: shared by all processes.
std::uint64_t next_rotation(Lease& lease, const CallId& call, const ProviderId& provider);

/// What one call has shown of one key.
struct KeyHealth {
    std::optional<AccountId> account; ///< nothing: the provider's own key
    std::string
        sealed; ///< the ciphertext that was tried: a key replaced meanwhile keeps its health
    Health health = Health::healthy;
    std::string message; ///< plain sentence without any key; empty when healthy
    std::optional<std::chrono::seconds> cooldown;
};
/// What one call has shown of a provider and the keys that it tried.
struct HealthUpdate {
    ProviderId provider;
    std::string base_url;           ///< the one called
    std::optional<Health> health{}; ///< nothing: the call shows nothing of the provider
    std::string message{};
    std::vector<KeyHealth> keys{};
};
/// In one transaction. Rows that were deleted meanwhile, or whose key or base URL was changed, stay
/// as they are.
void record_health(Lease& lease, const CallId& call, const HealthUpdate& report);

/// Ends the call and records its health, in one statement where possible.
void end_call(Lease& lease, const CallId& call, const HealthUpdate& report);

/// The end of a call that writes nothing, if the store knows already what it has shown: all is
/// well.
struct PlainEnd {
    CallId call;
    std::optional<ProviderId> provider{}; ///< nothing: the call has shown nothing
    std::optional<AccountId> account{};   ///< whose key was used; nothing: the provider's own
};
/// The end of a call with that report (or with none); nothing when it has more to say.
std::optional<PlainEnd> plain_end(const CallId& call, const HealthUpdate* report);
/// Ends calls in one statement. Returns the ids of those that it has ended; the others (the store
/// does not know, or no longer, that all is well) are left to end_call().
std::vector<std::string> end_calls(Lease& lease, const std::vector<PlainEnd>& ends);

} // namespace usershell::store
