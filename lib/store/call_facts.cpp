#include "store/call_facts.hpp"

#include <algorithm>

namespace usershell::store {

bool CallProvider::rotates() const {
    return round_robin_accounts && std::ranges::any_of(accounts, &CallKey::is_enabled);
}

// Without rotation there is one key, the provider's own. With it, each call begins at the next
// enabled account, by a counter in the store that all processes share. The store returns the
// accounts in the order of the call (sql/0022_calls.sql, keys_in_turn). A key in cooldown is tried
// last instead of not at all: its cooldown is often a guess, and a call that may succeed is better
// than none.
std::vector<const CallKey*> CallProvider::keys_to_try(const std::optional<AccountId>& only) const {
    std::vector<const CallKey*> keys;
    if (!only && !rotates()) {
        if (own_key) keys.push_back(&*own_key);
        return keys;
    }
    for (const CallKey& key : accounts)
        if (only ? key.account == only : key.is_enabled) keys.push_back(&key);
    return keys;
}

} // namespace usershell::store
