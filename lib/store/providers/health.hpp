// The health of a provider or of one of its keys, as the last call has shown it.
#pragma once

#include "base/timestamp.hpp"

#include <optional>
#include <string>
#include <string_view>

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

} // namespace usershell::store
