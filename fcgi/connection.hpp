// Serves one connection from its first byte to its last: request records, application, response. A
// response is written by the thread that serves the request, or later on the application's loop.
#pragma once

#include "base/error.hpp"
#include "base/loop/loop.hpp"
#include "base/process/descriptor.hpp"
#include "fcgi/pending.hpp"
#include "fcgi/records.hpp"
#include "web/message.hpp"

#include <chrono>
#include <functional>

namespace usershell::fcgi {

/// What the worker serves, given by the program's main. Called by many threads at once.
struct Application {
    /// Serves one request: the whole response, or a AsyncResponse. A Refusal that it throws is
    /// answered with refuse(); any other exception is logged by its type and answered with 500. The
    /// same holds for what a AsyncResponse throws, except that a stream that has begun is then cut
    /// off.
    std::function<web::Response(const web::Request&)> serve;
    /// Renders a refusal in the form that the client accepts.
    std::function<web::Response(const Refusal&, const web::Request&)> refuse;
    /// The event loop on which answers that come later are made; nullptr in a program that has
    /// none. It must run as long as any of them is pending.
    Loop* loop = nullptr;
};

struct ConnectionLimits {
    RecordLimits records{};
    std::chrono::milliseconds stall{30'000}; ///< for a client to take a piece of a later response
};

/// Never throws. A connection whose request does not reach the application is logged here. Any
/// thread may call it, for connections of its own. A response that comes later counts as pending
/// meanwhile.
void serve_connection(Descriptor connection, const ConnectionLimits& limits,
                      const Application& application, Pending& pending) noexcept;

} // namespace usershell::fcgi
