// Moments as the store keeps them, and as they are shown. Pure.
#pragma once

#include <chrono>
#include <string>

namespace usershell {

/// UTC, in PostgreSQL's precision.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

/// RFC 3339 in UTC, with milliseconds: "2026-01-02T03:04:05.678Z".
std::string rfc3339(Timestamp moment);
/// The same in whole seconds, for operators: "2026-01-02T03:04:05Z".
std::string rfc3339_seconds(Timestamp moment);

} // namespace usershell
