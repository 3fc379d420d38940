// A program's monitoring endpoint: health and metrics, on a socket apart from the one for requests.
#pragma once

#include "domain/settings/config.hpp"
#include "metrics/registry.hpp"
#include "metrics/server.hpp"
#include "store/database/database.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace usershell::program {

/// Gauges of this process: that it runs, and how many connections to the database it has.
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

/// The data of the endpoint.
struct MonitoringSources {
    std::function<void()> require_store; ///< throws Error or Refusal when not healthy
    std::vector<const metrics::Registry*> registries;
    std::function<void()> sample; ///< called every second, sets the gauges of this process
};

/// Serves the socket of the settings, or the inherited one; null when there is neither. The objects
/// that `sources` refers to outlive it. Throws ListenerError.
std::optional<metrics::Server> serve_monitoring(Program program, const Settings& settings,
                                                MonitoringSources sources);

} // namespace usershell::program
