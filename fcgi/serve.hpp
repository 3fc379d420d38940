// What the worker calls for each request.
#pragma once

#include "web/message.hpp"

#include <functional>

namespace usershell::fcgi {

/// Serves one request; writes through `stream` or returns the whole answer. Called by many threads
/// at once. Must not throw: an exception is logged by its type and answered 500, or cuts the stream
/// that has begun.
using Serve = std::function<web::Response(const web::Request&, web::Stream&)>;

} // namespace usershell::fcgi
