// Serves one connection from its first byte to its last: request records, application, response.
#pragma once

#include "base/descriptor.hpp"
#include "base/error.hpp"
#include "fcgi/records.hpp"
#include "web/message.hpp"

#include <functional>

namespace usershell::fcgi {

/// What the worker serves, given by the program's main. Called by many threads at once.
struct Application {
    /// Serves one request: writes through the stream or returns the whole response. A Refusal that
    /// it throws is answered with refuse(); any other exception is logged by its type and answered
    /// with 500. Either cuts a stream that has begun.
    std::function<web::Response(const web::Request&, web::Stream&)> serve;
    /// Renders a refusal in the form that the client accepts.
    std::function<web::Response(const Refusal&, const web::Request&)> refuse;
};

/// Never throws. What does not reach the application is logged here. Any thread may call it, for
/// connections of its own.
void serve_connection(Descriptor connection, const RecordLimits& limits,
                      const Application& application) noexcept;

} // namespace usershell::fcgi
