// Headers that a person gives a provider, with their sealed values.
#pragma once

#include "store/providers/accounts.hpp"

#include <optional>
#include <string>

namespace usershell::store {

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

} // namespace usershell::store
