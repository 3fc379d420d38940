#include "program/periodic_task.hpp"

#include "base/logging/log.hpp"
#include "store/installation.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include <sys/utsname.h>

namespace usershell::program {

using std::chrono::milliseconds;

PeriodicTask::PeriodicTask(std::string name, std::function<milliseconds()> round,
                           milliseconds delay_after_failure)
    : name_{std::move(name)},
      round_{std::move(round)},
      delay_after_failure_{delay_after_failure},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {}

void PeriodicTask::run(const std::stop_token& stop) {
    std::mutex mutex; // of this thread alone, to wait by
    std::unique_lock lock{mutex};
    std::condition_variable_any stopping;
    while (!stop.stop_requested())
        stopping.wait_for(lock, stop, one_round(), [&] { return stop.stop_requested(); });
}

milliseconds PeriodicTask::one_round() {
    try {
        return round_();
    } catch (const std::exception& error) {
        log(Level::warning, name_, {{"error", loggable(error)}});
        return delay_after_failure_;
    }
}

PeriodicTask forget_idle_sessions(store::Database& database) {
    return PeriodicTask{"forgetter", [&database]() -> milliseconds {
                            constexpr std::chrono::seconds one{1};
                            database.forget_sessions(one);
                            return one;
                        }};
}

PeriodicTask report_rings(store::Database& database, std::vector<crypto::RingSummary> rings) {
    return PeriodicTask{"report of rings", [&database, rings = std::move(rings)]() -> milliseconds {
                            utsname machine{};
                            uname(&machine);
                            store::Lease lease{database};
                            store::report_rings(lease, machine.nodename, rings);
                            return std::chrono::hours{1};
                        }};
}

} // namespace usershell::program
