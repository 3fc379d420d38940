// Accepts the connections of a worker and hands them to its threads, until SIGTERM or SIGINT. Used
// by one thread, in which all signals are blocked.
#pragma once

#include "fcgi/connection.hpp"
#include "fcgi/worker.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/listener.hpp"
#include "runtime/process.hpp"

#include <chrono>
#include <optional>

namespace usershell::fcgi {

class Acceptor {
public:
    /// `options` and `application` outlive it. Throws SystemError when there is no descriptor
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
    Task<> serve(Descriptor connection);
    void stop();
    void serve_backlog();

    const WorkerOptions& options_;
    const Application& application_;
    Listener listener_;
    StopSignals signals_;
    Watchdog watchdog_;
    const Application busy_; ///< answers 503
    Pending pending_;
    BlockingPool requests_;
    BlockingPool refusals_;
    std::optional<Clock::time_point> paused_until_;   ///< no accepting before
    std::optional<Clock::time_point> shortage_since_; ///< a connection has found no thread
    bool out_of_descriptors_ = false;
};

} // namespace usershell::fcgi
