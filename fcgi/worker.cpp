#include "fcgi/worker.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "runtime/blocking_pool.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/listener.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <optional>
#include <system_error>

#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

namespace usershell::fcgi {

// Connections are accepted while a request thread is free or can be made. Otherwise there is a
// shortage: connections wait in the listener's backlog, where a process that shares the listener
// may take them too. After `max_wait` they are accepted and answered 503 by the refusal thread, so
// that no client waits long in a queue that does not move. The shortage ends when the backlog is
// found empty.
//
// Polling the listener during a shortage would spin, since it is readable. So accepting is paused
// until `max_wait` is over or a thread is free, and for a moment when descriptors have run out.

namespace {

using std::chrono::milliseconds;

constexpr milliseconds exhaustion_pause{100};
constexpr milliseconds refusal_receive_timeout{1000};
constexpr std::size_t max_waiting_refusals = 256;
constexpr int max_at_once = 64; ///< connections taken before signals are looked at again

/// Bounds every send(2); what comes in is bounded by RecordLimits.
void limit_sending(int connection, milliseconds time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    timeval limit{};
    limit.tv_sec = seconds.count();
    limit.tv_usec = std::chrono::microseconds{time - seconds}.count();
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

bool is_readable(int descriptor) {
    pollfd watched{descriptor, POLLIN, 0};
    return ::poll(&watched, 1, 0) > 0;
}

Application refuse_busy(const Application& application) {
    const auto refuse = application.refuse;
    return {
        .serve =
            [refuse](const web::Request& request) { return refuse(service_is_busy(), request); },
        .refuse = refuse,
        .loop = application.loop,
        .reads_late = application.reads_late};
}

BlockingPoolOptions pool_of(const char* name, const WorkerOptions& options, std::size_t max_threads,
                            std::size_t max_waiting) {
    return {.name = name,
            .max_threads = max_threads,
            .max_waiting = max_waiting,
            .stack_bytes = options.stack_bytes,
            .idle_timeout = options.idle_timeout};
}

Listener listener_of(const std::string& path) {
    if (!path.empty()) return Listener::bound(path);
    auto inherited = Listener::inherited(Listener::Purpose::requests);
    if (!inherited)
        throw Error{"one listening socket must be inherited (LISTEN_FDS), or --socket be given"};
    return std::move(*inherited);
}

/// Accepts the connections of a worker and hands them to its threads, until SIGTERM or SIGINT.
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

Acceptor::Acceptor(const WorkerOptions& options, const Application& application, Listener listener)
    : options_{options},
      application_{application},
      listener_{std::move(listener)},
      busy_{refuse_busy(application)},
      requests_{pool_of("request", options, options.max_threads, 0)},
      refusals_{pool_of("refusal", options, 1, max_waiting_refusals)} {}

void Acceptor::run() {
    notify_ready();
    while (!signals_.received()) {
        watchdog_.notify();
        if (paused_until_ && Clock::now() >= *paused_until_) paused_until_.reset();
        if (!paused_until_) take_connections();
        wait_for_work();
    }
    stop();
}

void Acceptor::wait_for_work() {
    milliseconds time = watchdog_.time_left();
    if (paused_until_)
        time = std::clamp(std::chrono::ceil<milliseconds>(*paused_until_ - Clock::now()),
                          milliseconds{0}, time);
    std::array<pollfd, 3> watched{{{signals_.fd(), POLLIN, 0},
                                   {requests_.free_fd(), POLLIN, 0},
                                   {paused_until_ ? -1 : listener_.fd(), POLLIN, 0}}};
    ::poll(watched.data(), watched.size(), static_cast<int>(time.count()));
    if ((watched[1].revents & POLLIN) == 0) return;
    requests_.clear_free();
    paused_until_.reset();
}

void Acceptor::pause(milliseconds time) { paused_until_ = Clock::now() + time; }

void Acceptor::take_connections() {
    for (int taken = 0; taken < max_at_once && !paused_until_; ++taken) {
        if (!requests_.has_room() && backlog_may_wait()) return;
        Descriptor connection = accept_one();
        if (!connection) return;
        start(serve(std::move(connection)));
    }
}

/// When no thread is free: there is a shortage while a connection waits. False once the shortage
/// has lasted too long; else pauses accepting for the time that is left.
bool Acceptor::backlog_may_wait() {
    if (!is_readable(listener_.fd())) {
        shortage_since_.reset();
        return true;
    }
    if (!shortage_since_) shortage_since_ = Clock::now();
    const auto waited = Clock::now() - *shortage_since_;
    if (waited >= options_.max_wait) return false;
    pause(std::chrono::ceil<milliseconds>(options_.max_wait - waited));
    return true;
}

/// The next connection in the backlog; empty when there is none or it can't be taken now.
Descriptor Acceptor::accept_one() {
    Descriptor connection{::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (connection) {
        out_of_descriptors_ = false;
        limit_sending(connection.get(), options_.send_timeout);
        return connection;
    }
    if (errno == EAGAIN)
        shortage_since_.reset();
    else if (errno != EINTR && errno != ECONNABORTED)
        note_exhaustion(errno);
    return {};
}

void Acceptor::note_exhaustion(int error) {
    pause(exhaustion_pause);
    if (!out_of_descriptors_)
        log(Level::error, "can't accept", {{"why", std::generic_category().message(error)}});
    out_of_descriptors_ = true;
}

/// Begins in the acceptor's thread and continues in one of a pool.
Task<> Acceptor::serve(Descriptor connection) {
    ConnectionLimits limits{
        .records = {.max_body = options_.max_body, .timeout = options_.receive_timeout},
        .stall = options_.send_timeout};
    const bool served = co_await requests_.try_enter();
    if (served) {
        serve_connection(std::move(connection), limits, application_, pending_);
        co_return;
    }
    const bool refused = co_await refusals_.try_enter();
    if (refused) {
        limits.records.timeout = refusal_receive_timeout;
        serve_connection(std::move(connection), limits, busy_, pending_);
        co_return;
    }
    log(Level::error, "connection dropped", {{"why", "every thread is busy"}});
}

void Acceptor::stop() {
    notify_stopping();
    log(Level::notice, "worker stopping");
    serve_backlog();
    requests_.stop();
    refusals_.stop();
    for (BlockingPool* pool : {&requests_, &refusals_})
        while (!pool->wait_stopped(watchdog_.time_left())) watchdog_.notify();
    while (!pending_.wait_none(watchdog_.time_left())) watchdog_.notify();
}

/// Connections waiting at a socket of our own would be lost; at an inherited one the next process
/// accepts them.
void Acceptor::serve_backlog() {
    if (!listener_.is_own()) return;
    listener_.unlink();
    while (Descriptor connection = accept_one()) start(serve(std::move(connection)));
}

} // namespace

int run_worker(const WorkerOptions& options, const Application& application) {
    block_signals();
    try {
        Acceptor acceptor{options, application, listener_of(options.socket)};
        log(Level::notice, "worker started", {{"threads", std::to_string(options.max_threads)}});
        acceptor.run();
    } catch (const std::exception& failure) {
        log(Level::error, "worker can't run", {{"why", loggable(failure)}});
        return 1;
    }
    log(Level::notice, "worker stopped");
    return 0;
}

} // namespace usershell::fcgi
