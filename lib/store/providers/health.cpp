#include "store/providers/health.hpp"

#include "base/error.hpp"
#include "store/providers/provider_parts.hpp"

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

Health health_named(std::string_view name) {
    for (const HealthRow& row : health_rows) {
        if (row.name == name) return row.health;
    }
    throw Error{"The store holds a health that we don't know."};
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
