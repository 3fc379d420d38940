#include "base/logging/log_buffer.hpp"

#include <string>
#include <utility>

namespace usershell {
LogBuffer::LogBuffer(Write write) : write_{std::move(write)}, thread_{[this] { run(); }} {
    hand_log_lines_to([this](LogLine line) { add(std::move(line)); });
}

LogBuffer::~LogBuffer() {
    hand_log_lines_to({});
    {
        const std::scoped_lock lock{mutex_};
        ending_ = true;
    }
    filled_.notify_one();
    thread_.join();
}

void LogBuffer::add(LogLine line) {
    {
        const std::scoped_lock lock{mutex_};
        if (waiting_.size() >= max_lines) {
            ++dropped_;
            return;
        }
        waiting_.push_back(std::move(line));
    }
    filled_.notify_one();
}

void LogBuffer::run() {
    std::unique_lock lock{mutex_};
    while (!ending_ || !waiting_.empty()) {
        filled_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
        write_all(lock);
    }
}

void LogBuffer::write_all(std::unique_lock<std::mutex>& lock) {
    std::deque<LogLine> lines = std::exchange(waiting_, {});
    if (const std::size_t dropped = std::exchange(dropped_, 0))
        lines.push_back(
            log_line(Level::warning, "log lines dropped", {{"count", std::to_string(dropped)}}));
    lock.unlock();
    for (const LogLine& line : lines) write_(line);
    lock.lock();
}

} // namespace usershell
