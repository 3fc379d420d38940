// Facts of a provider's keys that the list lacks: the next in turn, and why calls with them have
// failed. Asked for one provider at a time, as the first changes with every call.
#pragma once

#include "base/ids.hpp"
#include "base/timestamp.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>
#include <vector>

namespace usershell::store {

struct KeyError {
    std::optional<AccountId> account; ///< nothing: the provider's own key
    Timestamp at{};
    std::string message; ///< a stored Sentence without any key
};

struct KeyFacts {
    std::optional<AccountId> next_in_turn; ///< nothing: no account takes turns
    std::vector<KeyError> errors; ///< the newest first, at most rules::max_key_errors a key
};

/// Throws Refusal not_found when there is no such provider of that owner.
KeyFacts find_key_facts(Lease& lease, const UserId& owner, const ProviderId& provider);

} // namespace usershell::store
