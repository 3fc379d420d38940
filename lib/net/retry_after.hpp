// When a server says to come back, in every form that is met. Sources: RFC 9110, 5.6.7 and 10.2.3;
// RFC 3339; the limits' headers of OpenAI, Anthropic and Groq. Pure; any thread may call.
#pragma once

#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <string_view>

namespace usershell::net {

/// A longer time is cut to it, and a negative one is none to wait.
inline constexpr std::chrono::seconds max_wait = std::chrono::hours{24};

/// From `retry-after-ms`, `x-ms-retry-after-ms` (OpenAI, Azure) or `Retry-After`, of which the
/// first that is present counts; of a 429 also from the headers that tell when a limit is reset
/// (OpenAI, Anthropic, Groq: "Rate limits"). Each in any form of parse_wait(); rounded up to
/// seconds.
std::optional<std::chrono::seconds> retry_after(const HttpHead& head,
                                                std::chrono::system_clock::time_point now);

/// Seconds, a duration ("34s", "7m12.5s", "500ms"), a date of RFC 9110 or RFC 3339, or the time
/// since 1970 in seconds or milliseconds.
std::optional<std::chrono::seconds> parse_wait(std::string_view text,
                                               std::chrono::system_clock::time_point now);

/// "Please try again in 7m12.5s", "Retry after 30 seconds". `message` is in lower case.
std::optional<std::chrono::seconds> wait_in_words(std::string_view message);

} // namespace usershell::net
