// Shared by the statements on models and accounts: locking their provider, caps, toggling, readers
// of rows. Inside lib/store only.
#pragma once

#include "base/error.hpp"
#include "store/database/run.hpp"
#include "store/providers/parts.hpp"
#include "store/providers/providers.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::store {

/// For an UPDATE of a provider or an account.
inline constexpr std::string_view health_forgotten =
    "health_status = 'unknown', health_message = '', health_checked_at = NULL, "
    "cooldown_until = NULL, recent_errors = '[]'";

Model model_of(const Row& row);
Account account_of(const Row& row);
HealthState health_of(const Row& row);

/// As add_model() and add_account(), in a transaction that has locked the provider or made it.
/// `key` nullptr: an account that waits for its key.
Model insert_model(Transaction& transaction, const UserId& owner, const ProviderId& provider,
                   const NewModel& model);
Account insert_account(Transaction& transaction, const UserId& owner, const ProviderId& provider,
                       const NewAccount& account, const StoredKey* key);

/// The columns of a stored key; for nullptr NULL or empty texts.
std::optional<Bytes> bytes_of(const StoredKey* key);
std::string hint_of(const StoredKey* key);
std::string address_of(const StoredKey* key);

/// run_list() gives the rows of all providers, models and accounts of `owner`, and one of kind
/// "list" with the column `version` if the list has one. providers_of() puts the providers of those
/// rows together.
Rows run_list(Lease& lease, const UserId& owner);
std::vector<Provider> providers_of(Rows rows);

/// Locks the provider's row until the end of the transaction, so that additions to it take turns.
/// Throws Refusal not_found when there is none of that owner.
void lock_provider(Transaction& transaction, const UserId& owner, const ProviderId& provider);

/// 400: there are `max` of those already.
Refusal cap_reached(English things, int max);

/// `conflict`: what a repeated request would have made is there, by another body.
Refusal repeated_otherwise();

/// `read(row)` of the row that a statement has changed. Throws Refusal not_found when there is
/// none.
template <class Read>
auto changed_row(Rows rows, Read read) {
    if (rows.empty()) throw not_found();
    return read(rows.front());
}

/// Sets or (null) toggles a switch. `statement`: its last parameter is the new value or NULL,
/// its answer the row that `read` takes. Toggling is not repeatable: when a first toggle may have
/// been committed, a second would undo it. So the first value found is remembered, and a second try
/// sets it instead.
template <class Read, class... Key>
auto set_enabled(Lease& lease, std::optional<bool> enabled, Read read, const Statement& statement,
                 const Key&... key) {
    if (enabled) return changed_row(run(lease, statement, key..., enabled), read);
    return transact(lease, [&](Transaction& transaction) {
        auto changed = changed_row(transaction.run(statement, key..., enabled), read);
        enabled = changed.is_enabled;
        return changed;
    });
}

} // namespace usershell::store
