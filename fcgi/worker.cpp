#include "fcgi/worker.hpp"

#include "base/logging/log.hpp"
#include "fcgi/acceptor.hpp"
#include "fcgi/response.hpp"
#include "runtime/listener.hpp"
#include "runtime/process.hpp"

#include <exception>

namespace usershell::fcgi {

namespace {

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
