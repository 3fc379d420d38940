// Accepts the connections of a worker and hands them to its threads, until SIGTERM or SIGINT. Used
// by one thread, in which all signals are blocked.
#pragma once

#include "base/process/descriptor.hpp"
#include "base/process/listener.hpp"
#include "base/process/process.hpp"
#include "fcgi/connection.hpp"
#include "fcgi/thread_pool.hpp"
#include "fcgi/worker.hpp"

#include <chrono>
#include <optional>

namespace usershell::fcgi {

class Acceptor {
public:
    /// `options` and `application` outlive it. Throws std::system_error when there is no descriptor
    /// left.
    Acceptor(const WorkerOptions& options, const Application& application, Listener listener);

    /// Returns once told to stop, when everything under way has ended.
    void run();

private:
    using Clock = std::chrono::steady_clock;

    void wait_for_work();
    void pause(std::chrono::milliseconds time);
    void take_connections();
    bool backlog_may_wait();
    Descriptor accept_one();
    void note_exhaustion(int error);
    void hand_over(Descriptor connection);
    void stop();
    void serve_backlog();

    const WorkerOptions& options_;
    Listener listener_;
    StopSignals signals_;
    Watchdog watchdog_;
    const Application busy_; ///< answers 503
    Pending pending_;
    ThreadPool requests_;
    ThreadPool refusals_;
    std::optional<Clock::time_point> paused_until_;   ///< no accepting before
    std::optional<Clock::time_point> shortage_since_; ///< a connection has found no thread
    bool out_of_descriptors_ = false;
};

} // namespace usershell::fcgi
