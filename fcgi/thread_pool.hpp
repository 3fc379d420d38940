// Threads that serve connections: made when needed, up to a limit, and let go when there is little
// to do.
#pragma once

#include "base/descriptor.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include <pthread.h>

namespace usershell::fcgi {

struct ThreadPoolOptions {
    std::string name;        ///< of the threads, at most 15 bytes
    std::size_t threads = 1; ///< at most
    std::size_t waiting = 0; ///< connections at most that wait for a thread; 0: a thread each
    std::size_t stack_bytes = 0;
    std::chrono::milliseconds
        idle_time{}; ///< after so long without work all threads but the last one leave
};

/// submit(), stop() and wait_stopped() are called by one thread, the acceptor. The work must not
/// throw.
class ThreadPool {
public:
    using Work = std::function<void(Descriptor)>;

    /// Throws std::system_error when there is no descriptor left.
    ThreadPool(ThreadPoolOptions options, Work work);
    /// Stops, and waits for what is under way.
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Room for one more? When false, free_fd() becomes readable once that has changed.
    bool has_room();
    /// Takes the connection and serves it; false, and leaves it alone, when there is no room or no
    /// thread could be made.
    bool submit(Descriptor& connection);

    int free_fd() const { return free_.get(); }
    /// Makes free_fd() unreadable again.
    void clear_free() const;

    /// No submit() after this. Threads leave when they have finished; connections that wait are
    /// served.
    void stop();
    /// True when every thread has left; false when that takes longer. After stop().
    bool wait_stopped(std::chrono::milliseconds patience);

private:
    /// A thread that has nothing to do. The one that slept last wakes first, so that the others may
    /// leave.
    struct Sleeper {
        std::condition_variable wake;
        Descriptor connection;
    };
    struct Start;

    static void* thread_main(void* start);
    void run(Descriptor connection);
    Descriptor next();
    Descriptor sleep(std::unique_lock<std::mutex>& lock);
    void leave();
    bool make_thread(Descriptor& connection);
    void join_left(std::unique_lock<std::mutex>& lock);

    const ThreadPoolOptions options_;
    const Work work_;
    Descriptor free_; ///< eventfd

    std::mutex mutex_;
    std::condition_variable left_changed_;
    std::vector<Sleeper*> sleepers_;
    std::deque<Descriptor> waiting_;
    std::vector<pthread_t> left_; ///< ended, to be joined
    std::size_t alive_ = 0;
    bool stopping_ = false;
    bool free_wanted_ = false;
};

} // namespace usershell::fcgi
