// A program's monitoring endpoint: health and metrics, on a socket apart from the one for requests.
#pragma once

#include "domain/settings/config.hpp"
#include "metrics/registry.hpp"
#include "metrics/server.hpp"
#include "store/database/database.hpp"

#include <optional>
#include <string>

namespace usershell::program {

/// Gauges of this process: that it runs, and how many connections to the database it has.
class ProcessGauges {
public:
    /// Throws Error.
    ProcessGauges(const std::string& folder, const store::Database& database);
    void sample();
    const metrics::Registry& registry() const { return registry_; }

private:
    const store::Database& database_;
    metrics::Registry registry_;
};

/// Serves the socket of the settings, or the inherited one; null when there is neither. Adds what
/// is installed to `sources`. Throws Error.
std::optional<metrics::Server> serve_monitoring(Program program, const Settings& settings,
                                                metrics::Sources sources);

} // namespace usershell::program
