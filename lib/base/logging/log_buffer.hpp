// Writes log lines on a thread of its own, so that a slow journal makes no request wait. At most so
// many wait; what comes on top is dropped, and counted in a line of its own.
#pragma once

#include "base/logging/log.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace usershell {

class LogBuffer {
public:
    static constexpr std::size_t max_lines = 8192;

    using Write = std::function<void(const LogLine&)>;

    /// From now on log() hands its lines over. One at a time in a process; every other thread that
    /// logs must have ended before it does.
    explicit LogBuffer(Write write);
    /// Writes what waits.
    ~LogBuffer();
    LogBuffer(const LogBuffer&) = delete;
    LogBuffer& operator=(const LogBuffer&) = delete;

private:
    void add(LogLine line);
    void run();
    void write_all(std::unique_lock<std::mutex>& lock);

    const Write write_;
    std::mutex mutex_;
    std::condition_variable filled_;
    std::deque<LogLine> waiting_;
    std::size_t dropped_ = 0; ///< since the last line was written
    bool ending_ = false;
    std::thread thread_;
};

} // namespace usershell
