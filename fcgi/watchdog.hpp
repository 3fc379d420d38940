// systemd's watchdog (sd_watchdog_enabled(3)): a program that does not report for as long as
// WatchdogSec= says is killed and started again. Used by one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

#include <systemd/sd-daemon.h>

namespace usershell::fcgi {

class Watchdog {
public:
    /// Reads WATCHDOG_USEC; without it nothing is ever due.
    Watchdog() {
        std::uint64_t allowed = 0;
        if (::sd_watchdog_enabled(0, &allowed) <= 0) return;
        // Twice in the time allowed, as sd_watchdog_enabled(3) recommends.
        const std::chrono::microseconds half{allowed / 2};
        interval_ = std::max(Milliseconds{1}, std::chrono::floor<Milliseconds>(half));
    }

    /// Reports, if that is due.
    void notify() {
        if (!interval_ || Clock::now() < next_) return;
        ::sd_notify(0, "WATCHDOG=1");
        next_ = Clock::now() + *interval_;
    }

    /// The time until notify() is due, a minute at most.
    std::chrono::milliseconds time_left() const {
        constexpr Milliseconds minute{60'000};
        if (!interval_) return minute;
        const auto left = std::chrono::ceil<Milliseconds>(next_ - Clock::now());
        return std::clamp(left, Milliseconds{0}, minute);
    }

private:
    using Clock = std::chrono::steady_clock;
    using Milliseconds = std::chrono::milliseconds;

    std::optional<Milliseconds> interval_;
    Clock::time_point next_;
};

} // namespace usershell::fcgi
