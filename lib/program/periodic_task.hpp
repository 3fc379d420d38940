// Work that a process does again and again beside its requests, in a thread of its own: sending
// mail, sweeping.
#pragma once

#include "crypto/ring/ring.hpp"
#include "store/database/database.hpp"

#include <chrono>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace usershell::program {

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

} // namespace usershell::program
