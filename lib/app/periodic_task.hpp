// Work that a process does again and again beside its requests, in a thread of its own: sending
// mail, sweeping.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace usershell::app {

class PeriodicTask {
public:
    /// Calls `round` until this object ends; it returns how long to wait before the next one. What
    /// it throws is logged under `name`, and the next round comes after `after_trouble`.
    PeriodicTask(std::string name, std::function<std::chrono::milliseconds()> round,
                 std::chrono::milliseconds after_trouble = std::chrono::seconds{5});
    /// Waits for the round under way.
    ~PeriodicTask();
    PeriodicTask(const PeriodicTask&) = delete;
    PeriodicTask& operator=(const PeriodicTask&) = delete;

private:
    void run();
    std::chrono::milliseconds one_round();

    std::string name_;
    std::function<std::chrono::milliseconds()> round_;
    std::chrono::milliseconds after_trouble_;
    std::mutex mutex_;
    std::condition_variable stopping_;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace usershell::app
