// Shared by the programs' mains: settings from file and command line, --help, --version,
// --dump-config, --check-config, and the one sentence on standard error when the start fails.
#pragma once

#include "crypto/ring/ring.hpp"
#include "domain/settings/config.hpp"
#include "metrics/registry.hpp"
#include "metrics/server.hpp"
#include "store/database/database.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace usershell::program {

/// Reads the command line and calls `run` with signals blocked and libsodium started. When it asks
/// for a check, `run` loads all files that the program needs, connects to nothing and returns 0.
/// Returns the process's exit status: run's; 1 when it throws; 2 for unusable settings. A check
/// returns 0 or 1, and prints one sentence with the kind of its remedy.
int run_program(Program program, int argc, char** argv,
                const std::function<int(const CommandLine&)>& run);

// Work that a process does again and again beside its requests, in a thread of its own: sending
// mail, sweeping.

class PeriodicTask {
public:
    /// Calls `round` again and again until this object is destroyed, which waits for the current
    /// call. `round` returns how long to wait before the next. When it throws, the exception is
    /// logged under `name` and the next call comes after `delay_after_failure`.
    PeriodicTask(std::string name, std::function<std::chrono::milliseconds()> round,
                 std::chrono::milliseconds delay_after_failure = std::chrono::seconds{5});
    PeriodicTask(const PeriodicTask&) = delete;
    PeriodicTask& operator=(const PeriodicTask&) = delete;

private:
    void run(const std::stop_token& stop);
    std::chrono::milliseconds one_round();

    std::string name_;
    std::function<std::chrono::milliseconds()> round_;
    std::chrono::milliseconds delay_after_failure_;
    std::jthread thread_;
};

/// Each second, of connections that have been idle for so long. `database` outlives it.
PeriodicTask forget_idle_sessions(store::Database& database);

/// Tells the store, now and every hour, which rings the program has on this machine. `database`
/// outlives it.
PeriodicTask report_rings(store::Database& database, std::vector<crypto::RingSummary> rings);

// A program's monitoring endpoint: health and metrics, on a socket apart from the one for requests.

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
