#include "store/providers/health.hpp"

#include "store/providers/provider_parts.hpp"

#include <algorithm>
#include <array>

namespace usershell::store {

namespace {

/// In the order of Health.
constexpr std::array<std::string_view, 4> words{"unknown", "healthy", "degraded", "unhealthy"};

/// A later program may have written a health that this one does not know.
Health health_named(std::string_view name) {
    const auto* const word = std::ranges::find(words, name);
    return word == words.end() ? Health::unknown : static_cast<Health>(word - words.begin());
}

} // namespace

std::string_view name_of(Health health) { return words.at(static_cast<std::size_t>(health)); }

HealthState health_of(const Row& row) {
    return {.status = health_named(row.get<std::string>("health_status")),
            .message = row.get<std::string>("health_message"),
            .checked_at = row.get<std::optional<Timestamp>>("health_checked_at"),
            .cooldown_until = row.get<std::optional<Timestamp>>("cooldown_until")};
}

} // namespace usershell::store
