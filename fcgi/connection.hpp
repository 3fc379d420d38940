// Serves one connection from its first byte to its last: request records, application, response. A
// response is written by the thread that serves the request, or later on the application's loop.
#pragma once

#include "base/error.hpp"
#include "fcgi/pending.hpp"
#include "fcgi/records.hpp"
#include "runtime/descriptor.hpp"
#include "runtime/loop.hpp"
#include "web/message.hpp"

#include <chrono>
#include <functional>

namespace usershell::fcgi {

/// The program that the worker serves. Many threads call it at once.
struct Application {
    /// The whole response to one request, or an AsyncResponse. Neither throws.
    std::function<web::Response(const web::Request&)> serve;
    /// The response to a malformed request, in the form that the client accepts. Does not throw.
    std::function<web::Response(const Refusal&, const web::Request&)> refuse;
    /// The event loop on which later responses are made; null in a program that has none. It must
    /// run as long as any of them is pending.
    Loop* loop = nullptr;
    /// May a request with that path and query be served before its body is read? By the stream of
    /// its response, which needs the loop. Empty: none.
    ReadsLate reads_late{};
};

struct ConnectionLimits {
    RecordLimits records{};
    std::chrono::milliseconds stall{30'000}; ///< for a client to take a piece of a later response
    /// In which a late body brings 100 KiB, or ends.
    std::chrono::milliseconds body_interval{10'000};
};

/// Logs a connection whose request does not reach the application. A later response counts as
/// pending until it has been sent. Any thread may call it.
void serve_connection(Descriptor connection, const ConnectionLimits& limits,
                      const Application& application, Pending& pending) noexcept;

} // namespace usershell::fcgi
