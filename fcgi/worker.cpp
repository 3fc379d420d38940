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

// Connections are accepted while a request thread is free or can be made. Otherwise they stay in
// the listener's backlog for a moment (`grace`), where a process that shares the listener may take
// them. Then they are accepted and wait in line for a thread, the oldest first. A connection that
// has waited in line for the rest of `max_wait` is answered 503 by the refusal thread. So no client
// waits long in a queue that does not move, and a queue that moves refuses no client: the time that
// the connection itself has waited counts.
//
// A request whose lane is full waits in the same line, without a thread.
//
// Polling the listener while connections may stay would spin, since it is readable. So accepting is
// paused until the moment is over or a thread is free, and for a moment when descriptors have run
// out.

namespace {

using std::chrono::milliseconds;

constexpr milliseconds exhaustion_pause{100};
constexpr milliseconds refusal_receive_timeout{1000};
constexpr std::size_t max_waiting_refusals = 256;
constexpr std::size_t max_in_line = 256;
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
                            std::size_t max_waiting, std::size_t max_in_lane = 0) {
    return {.name = name,
            .max_threads = max_threads,
            .max_waiting = max_waiting,
            .max_in_lane = max_in_lane,
            .stack_bytes = options.stack_bytes,
            .idle_timeout = options.idle_timeout};
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
    bool backlog_may_stay();
    milliseconds grace() const { return options_.max_wait / 5; }
    milliseconds max_in_line_time() const { return options_.max_wait - grace(); }
    Descriptor accept_one();
    void note_exhaustion(int error);
    Task<> serve(Descriptor connection);
    Task<> refuse(Descriptor connection, std::optional<RequestRecords> records = std::nullopt);
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
    std::optional<Clock::time_point> paused_until_;  ///< no accepting before
    std::optional<Clock::time_point> staying_since_; ///< a connection in the backlog has no thread
    bool out_of_descriptors_ = false;
};

Acceptor::Acceptor(const WorkerOptions& options, const Application& application, Listener listener)
    : options_{options},
      application_{application},
      listener_{std::move(listener)},
      busy_{refuse_busy(application)},
      requests_{pool_of("request", options, options.max_threads, max_in_line,
                        application.lane ? std::max<std::size_t>(1, options.max_threads / 2) : 0)},
      refusals_{pool_of("refusal", options, 1, max_waiting_refusals)} {}

void Acceptor::run() {
    notify_ready();
    while (!signals_.received()) {
        watchdog_.notify();
        if (paused_until_ && Clock::now() >= *paused_until_) paused_until_.reset();
        requests_.give_up(Clock::now() - max_in_line_time());
        if (!paused_until_) take_connections();
        wait_for_work();
    }
    stop();
}

void Acceptor::wait_for_work() {
    milliseconds time = watchdog_.time_left();
    const auto until = [&](Clock::time_point end) {
        time =
            std::clamp(std::chrono::ceil<milliseconds>(end - Clock::now()), milliseconds{0}, time);
    };
    if (paused_until_) until(*paused_until_);
    if (const auto since = requests_.waiting_since()) until(*since + max_in_line_time());
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
        if (!requests_.has_room() && backlog_may_stay()) return;
        Descriptor connection = accept_one();
        if (!connection) return;
        start(serve(std::move(connection)));
    }
}

/// When no thread is free: do the connections stay in the backlog? If so, and there is one, pauses
/// accepting for the time that is left.
bool Acceptor::backlog_may_stay() {
    if (!is_readable(listener_.fd())) {
        staying_since_.reset();
        return true;
    }
    if (!staying_since_) staying_since_ = Clock::now();
    const auto stayed = Clock::now() - *staying_since_;
    if (stayed >= grace()) return false;
    pause(std::chrono::ceil<milliseconds>(grace() - stayed));
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
        staying_since_.reset();
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
    const ConnectionLimits limits{
        .records = {.max_body = options_.max_body, .timeout = options_.receive_timeout},
        .stall = options_.send_timeout};
    const bool has_thread = co_await requests_.try_enter();
    if (!has_thread) {
        start(refuse(std::move(connection)));
        co_return;
    }
    auto records = receive(connection.get(), limits, application_);
    if (!records) co_return;
    const std::string lane = lane_of(*records, application_);
    if (lane.empty())
        co_return respond(std::move(connection), *std::move(records), limits, application_,
                          pending_);
    const BlockingPool::LanePermit permit = co_await requests_.enter_lane(lane);
    if (permit)
        respond(std::move(connection), *std::move(records), limits, application_, pending_);
    else
        start(refuse(std::move(connection), std::move(records)));
}

/// `records`: of a request that was received already.
Task<> Acceptor::refuse(Descriptor connection, std::optional<RequestRecords> records) {
    const ConnectionLimits limits{
        .records = {.max_body = options_.max_body, .timeout = refusal_receive_timeout},
        .stall = options_.send_timeout};
    const bool has_thread = co_await refusals_.try_enter();
    if (!has_thread) {
        log(Level::error, "connection dropped", {{"why", "every thread is busy"}});
        co_return;
    }
    if (!records) records = receive(connection.get(), limits, busy_);
    if (records) respond(std::move(connection), *std::move(records), limits, busy_, pending_);
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
        Acceptor acceptor{options, application, Listener::of_requests(options.socket)};
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
