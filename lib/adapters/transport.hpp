// The requests of one call on their way: their time, their budget, the check that each stays below
// the base URL, and the failures of the connection as UpstreamErrors. For calls.cpp, relay.cpp and
// the readers.
#pragma once

#include "adapters/calls.hpp"

#include <chrono>
#include <cstddef>

namespace usershell::adapters {

/// From this size on, to parse an answer or an event takes milliseconds: it is not the loop's work.
inline constexpr std::size_t large_answer = std::size_t{256} * 1024;

inline bool is_success(int status) { return status >= 200 && status < 300; }
inline bool is_error(int status) { return status >= 400; }

/// The call would leave the base URL.
UpstreamError leads_out();

/// The call has spent the processor time that it may cost.
UpstreamError too_costly();

/// The requests of one call share its time: gives each the time that is left.
class CallClock {
public:
    explicit CallClock(const CallControl& control) : options_{control.options} {}

    net::HttpControl next(std::size_t answer_bytes) const;

private:
    const net::HttpControl& options_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The request is made only if it stays below the base URL, which the key is bound to, whatever the
/// adapter has made of an id.
Task<net::HttpResult> send(const CallTarget& target, const CallControl& control,
                           const net::HttpRequest& request, const net::HttpControl& http);

/// Did the connection end before the answer was complete, without us having stopped it?
bool was_cut_off(const net::HttpResult& result);

/// Throws when the call failed on its way, or was answered with a redirect; a call that was stopped
/// by us and one that ended well return.
void throw_transport_failure(const net::HttpResult& result);

} // namespace usershell::adapters
