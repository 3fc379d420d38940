// What models and accounts have in common: a provider that they belong to and whose row is locked
// while one is added, a cap, a switch. Inside lib/store only.
#pragma once

#include "base/error.hpp"
#include "store/database/run.hpp"

#include <optional>
#include <string>

namespace usershell::store {

/// Holds the provider's row until the end of the transaction, so that additions to it take turns.
/// Throws Refusal not_found when there is none of that owner.
void lock_provider(Transaction& transaction, const UserId& owner, const ProviderId& provider);

/// 400: there are `most` of those already.
Refusal cap_reached(const std::string& things, int most);

/// The document in the first column of the only row; Refusal not_found when there is no row.
std::string document_of(const pqxx::result& rows);

/// Sets or (nothing) toggles a switch. `statement`: its last parameter is the new value or NULL,
/// its answer the document and the value now.
template <class... Key>
std::string set_enabled(Lease& lease, std::optional<bool> enabled, const Statement& statement,
                        const Key&... key) {
    if (enabled) return document_of(run(lease, statement, key..., enabled));
    return transact(lease, [&](Transaction& transaction) {
        const auto rows = transaction.run(statement, key..., enabled);
        std::string document = document_of(rows);
        enabled = rows[0][1].template as<bool>(); // a second try must not toggle back
        return document;
    });
}

} // namespace usershell::store
