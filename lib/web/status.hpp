// The statuses of our responses. The build makes nginx's lists of this one (cmake/statuses.cmake):
// it passes no other status on.
#pragma once

#include <array>
#include <string_view>

namespace usershell::web {

struct Status {
    int number;
    std::string_view phrase;
    /// Answers that may have it: usershell-manage's pages and JSON, usershell-execute's calls in
    /// the playground, and those of tools below /v1. Those of usershell-auth may have any.
    std::string_view answers;
};

/// RFC 9110, section 15, and RFC 6585.
inline constexpr auto statuses = std::to_array<Status>({
    {200, "OK", "pages calls tools"},
    {204, "No Content", "pages"},
    {302, "Found", "pages"},
    {303, "See Other", "pages"},
    {304, "Not Modified", "pages"},
    {400, "Bad Request", "pages calls tools"},
    {401, "Unauthorized", "pages calls tools"},
    {402, "Payment Required", "tools"},
    {403, "Forbidden", "pages tools"},
    {404, "Not Found", "pages calls tools"},
    {405, "Method Not Allowed", "pages calls tools"},
    {409, "Conflict", "pages calls"},
    {413, "Content Too Large", "pages calls tools"},
    {415, "Unsupported Media Type", "pages calls tools"},
    {429, "Too Many Requests", "pages calls tools"},
    {500, "Internal Server Error", "pages calls tools"},
    {502, "Bad Gateway", "calls tools"},
    {503, "Service Unavailable", "pages calls tools"},
    {504, "Gateway Timeout", "calls tools"},
    {529, "Overloaded", "tools"},
});

} // namespace usershell::web
