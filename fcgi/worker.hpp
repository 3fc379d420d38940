// The FastCGI worker: listening socket, threads, signals, readiness.
//
// The thread that calls run_worker is the acceptor: it polls the listener, a signalfd and the
// pool's eventfd, accepts, sets the send time-out and hands the connection to a pool of request
// threads that grows on demand up to `max_threads`. All signals are blocked in every thread; only
// the acceptor reads them. Answers that come later are made on the application's event loop and
// hold no thread. SIGTERM and SIGINT: stop accepting, finish what is under way (answers on the loop
// too, for as long as they last), return; further signals change nothing. When every thread is
// busy, or the lane of a request is full, it waits for one of ours or, at first, of a process that
// shares the listener; after `max_wait` the answer is 503 with Retry-After, by a spare thread.
#pragma once

#include "fcgi/connection.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace usershell::fcgi {

struct WorkerOptions {
    std::string socket; ///< path for an own listener; empty: the one inherited (LISTEN_FDS)
    std::size_t max_threads = 8;            ///< that serve requests
    std::size_t stack_bytes = 512UL * 1024; ///< of a request thread; only what is used takes memory
    std::size_t max_body = 1024UL * 1024;   ///< bytes kept of a body, and one of a larger one
    std::chrono::milliseconds receive_timeout{10'000}; ///< for a whole request to arrive
    std::chrono::milliseconds send_timeout{30'000}; ///< for a client to take a piece of a response
    std::chrono::milliseconds max_wait{250};        ///< of a connection for a thread
    std::chrono::milliseconds idle_timeout{30'000}; ///< after which a thread without work may end
};

/// Serves until told to stop. Tells systemd READY=1 once the listener is open and STOPPING=1 when
/// it ends; the watchdog (WATCHDOG_USEC) is fed while the acceptor lives. Call once in a process.
/// Returns the exit status: 0 after a graceful stop; 1 with a line in the log when there is no
/// usable listener.
int run_worker(const WorkerOptions& options, const Application& application);

} // namespace usershell::fcgi
