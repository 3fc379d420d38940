// BlockingPool that serve connections: made when needed, up to a limit, and ended when there is
// little to do.
#pragma once

#include "base/process/descriptor.hpp"

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
    std::string name; ///< of the threads, at most 15 bytes
    std::size_t max_threads = 1;
    std::size_t max_waiting = 0; ///< connections that wait for a thread; 0: each gets one or none
    std::size_t stack_bytes = 0;
    std::chrono::milliseconds
        idle_timeout{}; ///< after so long without work all threads but one end
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

    /// Can a connection be taken? When false, free_fd() becomes readable once a thread is free.
    bool has_room();
    /// Takes the connection over and serves it. False, and the connection untouched, when there is
    /// no room or no thread could be made.
    bool submit(Descriptor& connection);

    int free_fd() const { return free_.get(); }
    /// Makes free_fd() unreadable again.
    void clear_free() const;

    /// No submit() after this. BlockingPool end when they have finished; connections that wait are
    /// served.
    void stop();
    /// True when every thread has ended; false when that takes longer. After stop().
    bool wait_stopped(std::chrono::milliseconds timeout);

private:
    struct IdleThread {
        std::condition_variable wake;
        Descriptor connection; ///< handed over by submit()
    };
    struct Start;

    static void* thread_main(void* start);
    void run(Descriptor connection);
    Descriptor next();
    Descriptor wait_for_connection(std::unique_lock<std::mutex>& lock);
    bool make_thread(Descriptor& connection);
    void join_ended(std::unique_lock<std::mutex>& lock);

    const ThreadPoolOptions options_;
    const Work work_;
    Descriptor free_; ///< eventfd

    std::mutex mutex_;
    std::condition_variable ended_changed_;
    std::vector<IdleThread*> idle_;
    std::deque<Descriptor> waiting_;
    std::vector<pthread_t> ended_; ///< to be joined
    std::size_t alive_ = 0;
    bool stopping_ = false;
    bool free_wanted_ = false; ///< free_fd() is to be made readable
};

} // namespace usershell::fcgi
