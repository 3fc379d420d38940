// Threads for the parts of a task that block: they wait for the store or a client, or compute for
// some milliseconds. `co_await pool.enter()` continues the task on one of the threads, and
// `co_await loop.enter()` returns it to the loop.
#pragma once

#include "runtime/loop.hpp"

#include <chrono>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

namespace usershell {

struct BlockingPoolOptions {
    std::string name; ///< of the threads, at most 15 bytes
    std::size_t max_threads = 1;
    std::size_t max_waiting = 0; ///< try_enter() and enter_lane() fail while so many tasks wait
    std::size_t max_in_lane = 0; ///< threads that the tasks of one lane may be on; 0: any
    std::size_t stack_bytes = 0; ///< of a thread; 0: the system's default
    std::chrono::milliseconds
        idle_timeout{}; ///< a thread without work for so long ends; 0: it stays
};

/// Any thread may enter. stop() and wait_stopped() are for the owner alone.
class BlockingPool {
public:
    using Clock = std::chrono::steady_clock;

    /// Makes threads when they are needed; one stays. Throws SystemError when there is no
    /// descriptor left.
    explicit BlockingPool(BlockingPoolOptions options);
    /// Makes `count` threads, which stay. leave() returns to `loop`. `max_in_lane`: as of the
    /// options; any number of tasks may wait for a lane. Throws SystemError when a thread can't be
    /// made.
    BlockingPool(Loop& loop, std::size_t count, std::string name, std::size_t max_in_lane = 0);
    /// Waits for the tasks that run or wait. No task may enter any more, or be entering.
    ~BlockingPool();
    BlockingPool(const BlockingPool&) = delete;
    BlockingPool& operator=(const BlockingPool&) = delete;

    /// Waits for a free thread as long as it takes. For pools whose threads stay.
    auto enter() { return Awaiter{*this, static_cast<std::size_t>(-1)}; }
    /// False, and the task continues where it is, when no thread is free or can be made and
    /// `max_waiting` tasks wait.
    auto try_enter() { return Awaiter{*this, options_.max_waiting}; }

    /// The task's permit in its lane, held until destruction. False: it has none.
    class LanePermit {
    public:
        LanePermit() = default;
        LanePermit(BlockingPool& pool, std::string lane) : pool_{&pool}, lane_{std::move(lane)} {}
        LanePermit(LanePermit&& other) noexcept
            : pool_{std::exchange(other.pool_, nullptr)},
              lane_{std::move(other.lane_)} {}
        LanePermit& operator=(LanePermit&&) = delete;
        LanePermit(const LanePermit&) = delete;
        LanePermit& operator=(const LanePermit&) = delete;
        ~LanePermit() {
            if (pool_ != nullptr) pool_->leave_lane(lane_);
        }
        explicit operator bool() const { return pool_ != nullptr; }

    private:
        BlockingPool* pool_ = nullptr;
        std::string lane_;
    };
    /// For a task on a thread of this pool. While `max_in_lane` tasks have a permit of the lane of
    /// that name, it waits without a thread, and goes on on any thread of this pool.
    auto enter_lane(std::string lane) { return LaneAwaiter{*this, std::move(lane)}; }

    /// When the task that has waited longest began to; null: none waits.
    std::optional<Clock::time_point> waiting_since();
    /// The tasks that began to wait before go on in this thread: they have not entered.
    void give_up(Clock::time_point before);

    /// To the loop of the second constructor.
    auto leave() { return loop_->enter(); }

    /// Would try_enter() find a thread at once? When false, free_fd() becomes readable once a
    /// thread has nothing to do. It also does when a task begins to wait for its lane.
    bool has_room();
    int free_fd() const { return free_.get(); }
    /// Makes free_fd() unreadable again.
    void clear_free() const;

    /// No task may enter any more. The threads end once all tasks have left.
    void stop();
    /// After stop(): true once every thread has ended, false after `timeout`.
    bool wait_stopped(std::chrono::milliseconds timeout);

private:
    struct Awaiter {
        BlockingPool& pool;
        std::size_t max_waiting;
        bool entered = true;
        bool await_ready() const { return pool.is_here(); }
        bool await_suspend(std::coroutine_handle<> task) {
            if (pool.submit({task, &entered}, max_waiting)) return true; // this may be gone
            return entered = false;
        }
        bool await_resume() const { return entered; }
    };
    struct LaneAwaiter {
        BlockingPool& pool;
        std::string lane;
        bool entered = true;
        bool await_ready() const { return false; }
        bool await_suspend(std::coroutine_handle<> task) {
            return pool.submit_to_lane({task, &entered, lane}); // true: this may be gone
        }
        LanePermit await_resume() { return entered ? LanePermit{pool, lane} : LanePermit{}; }
    };
    struct Waiting {
        std::coroutine_handle<> task;
        bool* entered; ///< of its awaiter
        std::string lane{};
        Clock::time_point since = Clock::now();
    };
    struct Thread {
        explicit Thread(BlockingPool& owner) : pool{owner} {}

        BlockingPool& pool;
        std::coroutine_handle<> task{}; ///< to be resumed
        std::condition_variable wake;
    };

    bool is_here() const;
    bool submit(Waiting task, std::size_t max_waiting);
    bool submit_to_lane(Waiting task);
    void leave_lane(const std::string& lane);
    bool has_permit(const std::string& lane) const;
    std::coroutine_handle<> take_waiting();
    void tell_owner() const;
    bool make_thread(std::coroutine_handle<> task);
    void join_ended(std::unique_lock<std::mutex>& lock);
    static void* thread_main(void* thread);
    void run(Thread& me);
    bool next(Thread& me);
    void wait_for_task(std::unique_lock<std::mutex>& lock, Thread& me);

    const BlockingPoolOptions options_;
    Loop* loop_ = nullptr;
    Descriptor free_; ///< eventfd

    std::mutex mutex_;
    std::condition_variable ended_changed_;
    std::deque<Thread> threads_;  ///< alive or unused
    std::vector<Thread*> unused_; ///< for threads to come
    std::vector<Thread*> idle_;
    std::deque<Waiting> waiting_;              ///< the oldest first
    std::map<std::string, std::size_t> lanes_; ///< the permits that are held
    std::vector<pthread_t> ended_;             ///< to be joined
    std::size_t alive_ = 0;
    bool stopping_ = false;
    bool free_wanted_ = false; ///< free_fd() is to be made readable
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

/// A person's share of a pool whose threads stay: the work of one does not hold up the others'.
class PoolLane {
public:
    PoolLane(BlockingPool& pool, std::string name) : pool_{pool}, name_{std::move(name)} {}

    /// The permit ends on the thread of the pool, before the task leaves it.
    Task<BlockingPool::LanePermit> enter() {
        co_await pool_.enter();
        co_return co_await pool_.enter_lane(name_);
    }
    auto leave() { return pool_.leave(); }

private:
    BlockingPool& pool_;
    const std::string name_;
};

} // namespace usershell
