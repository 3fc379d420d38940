// The event loop of a process: one thread that waits for many descriptors, timers and tasks at a
// time (epoll(7)). docs/decisions/0012 has its rules. In short: code that runs on it never blocks
// (it waits only by co_await) and works for less than 50 ms at a time; the owner of a Watcher,
// Timer or Deferred takes it off the loop before destroying it. A build with USERSHELL_WATCH_LOOP
// aborts with a line in the log when the first rule is broken (stall_watch.hpp).
//
// Order: after each descriptor, timer or posted task, first the tasks that it made ready run, then
// the deferred work; so what one event brings is sent in one write. A handler never resumes a task
// itself but asks the loop to (resume()): the task could destroy the object whose handler is still
// running.
#pragma once

#include "runtime/descriptor.hpp"
#include "runtime/task.hpp"

#include <atomic>
#include <chrono>
#include <coroutine>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace usershell {

class StallWatch;

class Loop {
public:
    using Clock = std::chrono::steady_clock;
    using Time = Clock::time_point;

    /// Called when a descriptor is ready, level-triggered.
    class Watcher {
    public:
        /// `events`: as epoll_ctl(2) has them.
        virtual void on_ready(int descriptor, std::uint32_t events) = 0;

    protected:
        ~Watcher() = default;
    };

    /// Called once when the time has come that it is set for, if it is set.
    class Timer {
    public:
        explicit Timer(Loop& loop) : loop_{loop} {}
        virtual ~Timer() { clear(); }
        Timer(const Timer&) = delete;
        Timer& operator=(const Timer&) = delete;

        /// A time in the past is due in the loop's next turn, after the descriptors that are ready.
        void set(Time due);
        void clear();
        /// The time that it is set for.
        std::optional<Time> due() const { return due_; }

    private:
        friend class Loop;
        virtual void on_due() = 0;

        Loop& loop_;
        std::optional<Time> due_;
    };

    /// Work put off to the end of the current step: called once for any number of defer() calls,
    /// before the loop takes the next descriptor, timer or task.
    class Deferred {
    public:
        explicit Deferred(Loop& loop) : loop_{loop} {}
        virtual ~Deferred();
        Deferred(const Deferred&) = delete;
        Deferred& operator=(const Deferred&) = delete;

        void defer();

    private:
        friend class Loop;
        virtual void on_deferred() = 0;

        Loop& loop_;
        bool waits_ = false;
    };

    /// Throws SystemError when there is no descriptor left.
    Loop();
    ~Loop();
    Loop(const Loop&) = delete;
    Loop& operator=(const Loop&) = delete;

    /// Runs until stop(), in the calling thread, which is the loop's until then. May be called
    /// again.
    void run();
    /// Any thread.
    void stop();

    /// Does the calling thread run the loop?
    bool is_here() const;

    /// `co_await loop.enter()`: on the loop from here on. Any thread.
    auto enter() {
        struct Awaiter {
            Loop& loop;
            bool await_ready() const { return loop.is_here(); }
            void await_suspend(std::coroutine_handle<> task) const { loop.post(task); }
            void await_resume() const {}
        };
        return Awaiter{*this};
    }

    // From here on: in the loop's thread only.

    /// Calls `watcher` for these events of the descriptor, in place of those watched before.
    void watch(int descriptor, std::uint32_t events, Watcher& watcher);
    /// Before the descriptor is closed.
    void forget(int descriptor);
    /// The task goes on as soon as the handler or task that runs now returns.
    void resume(std::coroutine_handle<> task) { ready_.push_back(task); }

private:
    struct Watched {
        Watcher* watcher = nullptr;
        std::uint32_t round = 0; ///< distinguishes a descriptor from an earlier one of that number
    };

    void post(std::coroutine_handle<> task);
    void wait();
    void take_posted();
    void take_event(int descriptor, std::uint32_t round, std::uint32_t events);
    void clear_wake() const;
    void take_timers();
    /// One step: `happening`, then the tasks that it has made ready and the deferred work.
    template <class Happening>
    void step(Happening happening);
    void settle();

    Descriptor epoll_;
    Descriptor wake_; ///< eventfd
    std::atomic<std::thread::id> thread_;
    std::atomic<bool> stopped_ = false;
    std::vector<Watched> watched_; ///< by descriptor
    std::uint32_t rounds_ = 0;
    std::set<std::pair<Time, Timer*>> timers_;
    Time timers_taken_{}; ///< timers due up to here have been called
    std::vector<std::coroutine_handle<>> ready_;
    std::vector<std::coroutine_handle<>> running_;
    std::vector<Deferred*> deferred_;
    std::mutex mutex_;
    std::vector<std::coroutine_handle<>> posted_; ///< under the mutex
    std::vector<std::coroutine_handle<>> taken_;
    std::unique_ptr<StallWatch> stalls_; ///< of the loop's thread; null: not watched
};

} // namespace usershell
