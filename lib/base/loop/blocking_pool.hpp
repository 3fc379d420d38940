// BlockingPool for the parts of a task that are not the loop's work, and are not long: they wait
// for the store, or compute for some milliseconds. `co_await threads.enter()` puts the task on one
// of them, from whatever thread it is on; `co_await loop.enter()` takes it back. Parts queue for a
// free thread; none is refused. Any thread.
#pragma once

#include "base/loop/loop.hpp"

#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace usershell {

class BlockingPool {
public:
    /// `name`: at most 15 bytes. Throws std::system_error when a thread can't be made.
    BlockingPool(Loop& loop, std::size_t count, const std::string& name);
    /// Waits for the parts that run; none may be queued any more.
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    auto enter() {
        struct Awaiter {
            BlockingPool& threads;
            bool await_ready() const { return threads.is_here(); }
            void await_suspend(std::coroutine_handle<> task) const { threads.post(task); }
            void await_resume() const {}
        };
        return Awaiter{*this};
    }

    /// Back to the loop.
    auto leave() { return loop_.enter(); }

private:
    bool is_here() const;
    void post(std::coroutine_handle<> task);
    void run();

    Loop& loop_;
    std::mutex mutex_;
    std::condition_variable posted_;
    std::deque<std::coroutine_handle<>> waiting_;
    bool stopping_ = false;
    std::vector<std::jthread> threads_; ///< last: joined before the members they use are destroyed
};

/// A thread that runs the loop for as long as this lives.
class LoopThread {
public:
    explicit LoopThread(Loop& loop);
    ~LoopThread() { loop_.stop(); }
    LoopThread(const LoopThread&) = delete;
    LoopThread& operator=(const LoopThread&) = delete;

private:
    Loop& loop_;
    std::jthread thread_;
};

} // namespace usershell
