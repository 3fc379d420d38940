// The service side of a process, as systemd expects it: signals read from a descriptor instead of
// interrupting, readiness, and the watchdog. Without systemd the notifications do nothing.
#pragma once

#include "runtime/descriptor.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace usershell {

/// Blocks all signals for this thread and those it starts, but for the ones that tell of a fault of
/// the program itself. Call first in main, before any thread.
void block_signals();

/// Has glibc keep less of what is given back. Call before the first thread is made.
void keep_little_memory();

/// Raises the limit of open descriptors as far as this process may: for programs that use epoll,
/// to which a high number is no danger (it is to select(2), hence the low limit at first).
void allow_all_descriptors();

/// SIGTERM and SIGINT as a descriptor to poll for. One a process; the signals must be blocked.
class StopSignals {
public:
    /// Throws SystemError.
    StopSignals();

    int fd() const { return descriptor_.get(); }
    /// Has a signal come since the last call? Does not wait.
    bool received() const;

private:
    Descriptor descriptor_;
};

void notify_ready();
void notify_stopping();

/// systemd's watchdog (sd_watchdog_enabled(3)): a program that does not report for as long as
/// WatchdogSec= says is killed and started again. Used by one thread.
class Watchdog {
public:
    /// Reads WATCHDOG_USEC; without it nothing is ever due.
    Watchdog();

    /// Reports, if that is due.
    void notify();

    /// The time until notify() is due, a minute at most.
    std::chrono::milliseconds time_left() const;

private:
    std::optional<std::chrono::milliseconds> interval_;
    std::chrono::steady_clock::time_point next_;
};

/// For a program whose work is done by other threads: says that it is ready, feeds the watchdog,
/// and returns once SIGTERM or SIGINT has come, having said that it stops.
void wait_until_stopped();

// Which build of the program this is.

/// The linker's build id (--build-id, a note in the program file) in hexadecimal: identical builds
/// have the same id, any other build has another. Throws Error when the program was
/// linked without one. Any thread.
const std::string& build_id();

} // namespace usershell
