// The report of a run, as JSON. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace usershell::bench {

using Clock = std::chrono::steady_clock;

struct LoadReport {
    std::size_t requests = 0; ///< with a whole answer
    std::vector<Clock::duration>
        whole; ///< of those counted: from the request's first byte to the answer's last
    std::vector<Clock::duration> first; ///< to the first token
    std::map<int, std::size_t> statuses;
    std::size_t failed = 0;     ///< connection refused or lost, answer cut short
    std::size_t unfinished = 0; ///< under way at the end
    std::size_t open_most = 0;  ///< answers of status 200 under way at the same time
    Clock::duration time{};

    /// {"requests", "seconds", "per_second", "p50_ms", "p99_ms", "max_ms", "first_p50_ms",
    /// "first_p99_ms", "statuses", "failed", "unfinished", "open_most"}
    std::string json();
};

} // namespace usershell::bench
