// What a program tells its operators, on a socket apart from the one for requests.
#pragma once

#include "base/settings/config.hpp"
#include "metrics/registry.hpp"
#include "metrics/server.hpp"
#include "store/database/database.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace usershell::app {

/// That this process lives, and its connections to the database, sampled.
class ProcessGauges {
public:
    /// Throws metrics::CellsError.
    ProcessGauges(const std::string& folder, const store::Database& database);
    void sample();
    const metrics::Registry& registry() const { return registry_; }

private:
    const store::Database& database_;
    metrics::Registry registry_;
};

struct Told {
    std::function<void()> require_store; ///< throws Error with one sentence when all is not well
    std::vector<const metrics::Registry*> registries;
    std::function<void()> sample; ///< sets the gauges of this process, every second
};

/// Answers on the socket of the settings, or on the one inherited for it; nothing when there is
/// neither. What `told` refers to outlives it. Throws ListenerError.
std::optional<metrics::Server> tell_operators(Program program, const Settings& settings, Told told);

} // namespace usershell::app
