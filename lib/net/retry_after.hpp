// When a server says to come back, in every form that is met. Sources: RFC 9110, 5.6.7 and 10.2.3;
// RFC 3339; ISO 8601 (durations); the limits' headers of OpenAI, Anthropic and Groq. Pure; any
// thread may call.
#pragma once

#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace usershell::net {

/// A longer time is cut to it, and a negative one is none to wait.
inline constexpr std::chrono::seconds max_wait = std::chrono::hours{24};

/// From `Retry-After` and what is named like it ("x-ratelimit-retry-after"), of which one in
/// milliseconds (OpenAI, Azure: "retry-after-ms") counts before the others; of a 429 also from the
/// headers that tell when a limit is reset (OpenAI, Anthropic, Groq: "Rate limits"; the IETF's
/// "RateLimit"). Each in any form of parse_wait(); rounded up to seconds.
std::optional<std::chrono::seconds> retry_after(const HttpHead& head,
                                                std::chrono::system_clock::time_point now);

/// The wait in a header or member whose name tells one: "Retry-After", "retryDelay",
/// "resets_in_seconds"; nothing for other names. Its value is a number in the unit of its name
/// (seconds, if it has none), a duration ("34s", "7m12.5s", "PT1M30S"), a date of RFC 9110 or RFC
/// 3339, or the time since 1970 in seconds or milliseconds; alone, in quotation marks, or the first
/// of a list.
std::optional<std::chrono::seconds> parse_wait(std::string_view name, std::string_view value,
                                               std::chrono::system_clock::time_point now);

/// "Please try again in 7m12.5s", "Retry after 30 seconds", "resets at 2026-12-01 08:00:00 UTC",
/// "30秒后重试". `message` is in lower case.
std::optional<std::chrono::seconds> wait_in_words(std::string_view message,
                                                  std::chrono::system_clock::time_point now);

} // namespace usershell::net
