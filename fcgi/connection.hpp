// Serves one connection from its first byte to its last: door, libfcgi, application, answer.
#pragma once

#include "base/descriptor.hpp"
#include "fcgi/records.hpp"
#include "fcgi/serve.hpp"

namespace usershell::fcgi {

/// Never throws. What does not reach `serve` is logged here. Any thread may call it, for
/// connections of its own.
void serve_connection(Descriptor connection, const RecordLimits& limits,
                      const Serve& serve) noexcept;

/// A Serve for when no thread is left: 503 with Retry-After, and a line in the log.
web::Response refuse_for_now(const web::Request& request, web::Stream& stream);

} // namespace usershell::fcgi
