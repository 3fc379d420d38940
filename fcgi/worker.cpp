#include "fcgi/worker.hpp"

#include "base/descriptor.hpp"
#include "base/log.hpp"
#include "fcgi/connection.hpp"
#include "fcgi/listener.hpp"
#include "fcgi/thread_pool.hpp"

#include <fcgiapp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <optional>
#include <system_error>

#include <malloc.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <systemd/sd-daemon.h>

namespace usershell::fcgi {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds exhausted{100}; ///< before accept is tried again when descriptors ran out
constexpr milliseconds refusal_time{1000}; ///< for a request that is to be refused to arrive
constexpr std::size_t waiting_refusals = 256;
constexpr int max_at_once = 64; ///< connections taken before signals are looked at again
constexpr int large_block = 256 * 1024;

/// Left alone, glibc learns from the first answer of some MiB to keep blocks of that size, for
/// every thread's arena: 200 MiB of a worker that needs 25.
void return_large_blocks_to_the_kernel() { ::mallopt(M_MMAP_THRESHOLD, large_block); }

sigset_t stop_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    return signals;
}

Descriptor signal_descriptor() {
    const sigset_t signals = stop_signals();
    Descriptor made{::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK)};
    if (!made) throw std::system_error{errno, std::generic_category(), "signalfd"};
    return made;
}

/// FCGX_Init installs handlers that would only set a flag of its own, and one for SIGPIPE.
void init_libfcgi() {
    if (const int error = FCGX_Init(); error != 0)
        throw std::system_error{error, std::generic_category(), "FCGX_Init"};
    for (const int number : {SIGTERM, SIGUSR1}) static_cast<void>(std::signal(number, SIG_DFL));
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
}

/// systemd's watchdog: beats twice in the time it allows.
class Watchdog {
public:
    Watchdog() {
        std::uint64_t allowed = 0;
        if (::sd_watchdog_enabled(0, &allowed) <= 0) return;
        rhythm_ =
            std::max(milliseconds{1},
                     std::chrono::floor<milliseconds>(std::chrono::microseconds{allowed} / 2));
    }

    void beat() {
        if (!rhythm_ || Clock::now() < next_) return;
        ::sd_notify(0, "WATCHDOG=1");
        next_ = Clock::now() + *rhythm_;
    }

    /// How long one may sleep without missing a beat.
    milliseconds rest() const {
        constexpr milliseconds long_time{60'000};
        if (!rhythm_) return long_time;
        return std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(next_ - Clock::now()));
    }

private:
    std::optional<milliseconds> rhythm_;
    Clock::time_point next_;
};

/// Bounds every send(2); what comes in is bounded by RecordLimits.
void limit_sending(int connection, milliseconds time) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
    timeval limit{};
    limit.tv_sec = seconds.count();
    limit.tv_usec = std::chrono::microseconds{time - seconds}.count();
    ::setsockopt(connection, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
}

ThreadPoolOptions request_threads(const WorkerOptions& options) {
    return {"request", options.threads, 0, options.stack_bytes, options.idle_time};
}

ThreadPoolOptions refusal_thread(const WorkerOptions& options) {
    return {"refusal", 1, waiting_refusals, options.stack_bytes, options.idle_time};
}

class Acceptor {
public:
    Acceptor(const WorkerOptions& options, const Serve& serve, Listener listener)
        : options_{options},
          listener_{std::move(listener)},
          signals_{signal_descriptor()},
          requests_{request_threads(options),
                    [&options, &serve](Descriptor connection) {
                        serve_connection(std::move(connection),
                                         {.body = options.max_body, .time = options.receive_time},
                                         serve);
                    }},
          refusals_{refusal_thread(options), [&options](Descriptor connection) {
                        serve_connection(std::move(connection),
                                         {.body = options.max_body, .time = refusal_time},
                                         refuse_for_now);
                    }} {}

    void run() {
        ::sd_notify(0, "READY=1");
        while (!told_to_stop()) {
            watchdog_.beat();
            if (pause_ && Clock::now() >= *pause_) pause_.reset();
            if (!pause_) take_connections();
            wait();
        }
        stop();
    }

private:
    bool told_to_stop() const {
        signalfd_siginfo info{};
        return ::read(signals_.get(), &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info));
    }

    void wait() {
        milliseconds time = watchdog_.rest();
        if (pause_)
            time = std::clamp(std::chrono::ceil<milliseconds>(*pause_ - Clock::now()),
                              milliseconds{0}, time);
        std::array<pollfd, 3> watched{{{signals_.get(), POLLIN, 0},
                                       {requests_.free_fd(), POLLIN, 0},
                                       {pause_ ? -1 : listener_.fd(), POLLIN, 0}}};
        ::poll(watched.data(), watched.size(), static_cast<int>(time.count()));
        if ((watched[1].revents & POLLIN) == 0) return;
        requests_.clear_free();
        pause_.reset();
    }

    void pause(milliseconds time) { pause_ = Clock::now() + time; }

    void take_connections() {
        for (int taken = 0; taken < max_at_once && !pause_; ++taken) {
            if (!requests_.has_room() && is_patient()) return;
            Descriptor connection = accept_one();
            if (!connection) return;
            hand_over(std::move(connection));
        }
    }

    /// No thread is free. True, and a pause, while that is news; false once those who wait must be
    /// told.
    bool is_patient() {
        if (!waiting_since_) {
            // The listener says whether anybody waits at all.
            pollfd watched{listener_.fd(), POLLIN, 0};
            if (::poll(&watched, 1, 0) <= 0) return true;
            waiting_since_ = Clock::now();
        }
        const auto waited = Clock::now() - *waiting_since_;
        if (waited >= options_.patience) return false;
        pause(std::chrono::ceil<milliseconds>(options_.patience - waited));
        return true;
    }

    /// The next in the backlog; nothing when there is none or it can't be had now.
    Descriptor accept_one() {
        Descriptor connection{::accept4(listener_.fd(), nullptr, nullptr, SOCK_CLOEXEC)};
        if (connection) {
            out_of_descriptors_ = false;
            limit_sending(connection.get(), options_.send_time);
            return connection;
        }
        if (errno == EAGAIN)
            waiting_since_.reset();
        else if (errno != EINTR && errno != ECONNABORTED)
            note_exhaustion(errno);
        return {};
    }

    void note_exhaustion(int error) {
        pause(exhausted);
        if (!out_of_descriptors_)
            log(Level::error, "can't accept", {{"why", std::generic_category().message(error)}});
        out_of_descriptors_ = true;
    }

    void hand_over(Descriptor connection) {
        if (requests_.submit(connection) || refusals_.submit(connection)) return;
        log(Level::error, "connection dropped", {{"why", "every thread is busy"}});
    }

    void stop() {
        ::sd_notify(0, "STOPPING=1");
        log(Level::notice, "worker stopping");
        serve_backlog();
        requests_.stop();
        refusals_.stop();
        for (ThreadPool* pool : {&requests_, &refusals_})
            while (!pool->wait_stopped(watchdog_.rest())) watchdog_.beat();
    }

    /// What waits at a socket of our own would be lost; at an inherited one it is the next
    /// process's.
    void serve_backlog() {
        if (!listener_.is_own()) return;
        listener_.unlink();
        while (Descriptor connection = accept_one()) hand_over(std::move(connection));
    }

    const WorkerOptions& options_;
    Listener listener_;
    Descriptor signals_;
    Watchdog watchdog_;
    ThreadPool requests_;
    ThreadPool refusals_;
    std::optional<Clock::time_point> pause_;         ///< no accepting until then
    std::optional<Clock::time_point> waiting_since_; ///< somebody has found no thread
    bool out_of_descriptors_ = false;
};

} // namespace

void block_signals() {
    sigset_t signals;
    sigfillset(&signals);
    for (const int fault : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
        sigdelset(&signals, fault);
    ::pthread_sigmask(SIG_SETMASK, &signals, nullptr);
}

int run_worker(const WorkerOptions& options, const Serve& serve) {
    block_signals();
    return_large_blocks_to_the_kernel();
    try {
        init_libfcgi();
        Listener listener =
            options.socket.empty() ? Listener::inherited() : Listener::bound(options.socket);
        Acceptor acceptor{options, serve, std::move(listener)};
        log(Level::notice, "worker started", {{"threads", std::to_string(options.threads)}});
        acceptor.run();
    } catch (const std::exception& failure) {
        log(Level::error, "worker can't run", {{"why", loggable(failure)}});
        return 1;
    }
    log(Level::notice, "worker stopped");
    return 0;
}

} // namespace usershell::fcgi
