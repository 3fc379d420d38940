// Counts the answers that are still being made on the event loop, after their request's thread has
// been freed. Any thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace usershell::fcgi {

class Pending {
public:
    /// Counts as one pending answer as long as it lives.
    class One {
    public:
        explicit One(Pending& all) : all_{all} {
            const std::scoped_lock lock{all_.mutex_};
            ++all_.count_;
        }
        ~One() {
            const std::scoped_lock lock{all_.mutex_};
            if (--all_.count_ == 0) all_.none_.notify_all();
        }
        One(const One&) = delete;
        One& operator=(const One&) = delete;

    private:
        Pending& all_;
    };

    /// Waits until there is none: true; false when that takes longer than `timeout`.
    bool wait_none(std::chrono::milliseconds timeout) {
        std::unique_lock lock{mutex_};
        return none_.wait_for(lock, timeout, [this] { return count_ == 0; });
    }

private:
    std::mutex mutex_;
    std::condition_variable none_;
    std::size_t count_ = 0;
};

} // namespace usershell::fcgi
