// Failures of the connection, as UpstreamErrors. For calls.cpp and what it uses.
#pragma once

#include "adapters/errors/upstream_error.hpp"
#include "net/http_client.hpp"

namespace usershell::adapters {

inline bool is_success(int status) { return status >= 200 && status < 300; }
inline bool is_error(int status) { return status >= 400; }

/// Did the connection end before the answer was complete, without us having stopped it?
bool was_cut_off(const net::HttpResult& result);

/// The call has spent the processor time that it may cost.
UpstreamError too_costly();

/// Throws when the call failed on its way, or was answered with a redirect; a call that was stopped
/// by us and one that ended well return.
void throw_transport_failure(const net::HttpResult& result);

} // namespace usershell::adapters
