// When a provider says to come back.
#pragma once

#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace usershell::adapters {

/// From `retry-after-ms`, `x-ms-retry-after-ms` (OpenAI, Azure) or `Retry-After` (RFC 9110 10.2.3:
/// seconds or an IMF-fixdate). The first that is present counts. 0 to 24 hours, rounded up to
/// seconds.
std::optional<std::chrono::seconds> retry_after(const net::HttpHead& head,
                                                std::chrono::system_clock::time_point now);

/// "34s" or "0.5s", as in google.rpc.RetryInfo.
std::optional<std::chrono::seconds> parse_duration(std::string_view text);

} // namespace usershell::adapters
