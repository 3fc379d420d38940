#include "store/providers/health.hpp"

#include "store/providers/provider_parts.hpp"

#include <algorithm>
#include <array>

namespace usershell::store {

namespace {

struct HealthRow {
    Health health;
    std::string_view name;
};

constexpr std::array health_rows{
    HealthRow{Health::unknown, "unknown"}, HealthRow{Health::healthy, "healthy"},
    HealthRow{Health::degraded, "degraded"}, HealthRow{Health::unhealthy, "unhealthy"}};

/// A later program may have written a health that this one does not know.
Health health_named(std::string_view name) {
    const auto* const row = std::ranges::find(health_rows, name, &HealthRow::name);
    return row == health_rows.end() ? Health::unknown : row->health;
}

} // namespace

std::string_view name_of(Health health) {
    return health_rows.at(static_cast<std::size_t>(health)).name;
}

HealthState health_of(const Row& row) {
    return {.status = health_named(row.get<std::string>("health_status")),
            .message = row.get<std::string>("health_message"),
            .checked_at = row.get<std::optional<Timestamp>>("health_checked_at"),
            .cooldown_until = row.get<std::optional<Timestamp>>("cooldown_until")};
}

} // namespace usershell::store
