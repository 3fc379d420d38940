#include "fcgi/worker.hpp"

#include "base/logging/log.hpp"
#include "base/process/listener.hpp"
#include "base/process/process.hpp"
#include "fcgi/acceptor.hpp"
#include "fcgi/response.hpp"

#include <exception>

#include <malloc.h>

namespace usershell::fcgi {

namespace {

/// Left alone, glibc learns from the first response of some MiB to keep blocks of that size, for
/// every thread's arena: 200 MiB of a worker that needs 25.
///
/// glibc would also make an arena for each thread. What a call takes on its request's thread is
/// given back on the loop, and an arena keeps for itself what is free in it; so there are few.
/// Small blocks come from each thread's own cache, without waiting for an arena.
void keep_little_memory() {
    ::mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    ::mallopt(M_ARENA_MAX, 4);
}

Listener listener_of(const std::string& path) {
    if (!path.empty()) return Listener::bound(path);
    auto inherited = Listener::inherited(Listener::Purpose::requests);
    if (!inherited)
        throw ListenerError{
            "one listening socket must be inherited (LISTEN_FDS), or --socket be given"};
    return std::move(*inherited);
}

} // namespace

int run_worker(const WorkerOptions& options, const Application& application) {
    block_signals();
    keep_little_memory();
    try {
        start_libfcgi();
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
