// The requests of one call: their time, their budget, and the check that each stays below the base
// URL. For calls.cpp and relay.cpp.
#pragma once

#include "adapters/calls.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <cstddef>

namespace usershell::adapters {

/// Thrown for a call that would leave the base URL.
UpstreamError leads_out();

/// The requests of one call share its time: gives each the time that is left.
class CallClock {
public:
    explicit CallClock(const CallControl& control) : control_{control} {}

    net::HttpControl next(std::size_t answer_bytes) const;

private:
    const CallControl& control_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// The request is made only if it stays below the base URL, which the key is bound to, whatever the
/// adapter has made of an id.
Task<net::HttpResult> send(const CallTarget& target, const CallControl& control,
                           const net::HttpRequest& request, const net::HttpControl& http);

} // namespace usershell::adapters
