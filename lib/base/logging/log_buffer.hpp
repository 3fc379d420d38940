// Writes log lines on a thread of its own, so that a slow journal makes no request wait. The queue
// is bounded by max_lines; lines that find it full are dropped, and a line of its own says how
// many.
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

    /// From now on log() puts its lines into this buffer. A process has at most one; all other
    /// threads that log must have ended before it is destroyed.
    explicit LogBuffer(Write write);
    /// Writes the lines still queued.
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
