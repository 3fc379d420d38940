// The statuses of our responses. nginx refuses others of usershell-manage and usershell-execute by
// lists of its own (deploy/nginx/snippets), which tests/rules holds to this one.
#pragma once

#include <array>
#include <string_view>

namespace usershell::web {

struct Status {
    int number;
    std::string_view phrase;
};

/// RFC 9110, section 15, and RFC 6585. 402 and 529 are of tools' routes alone.
inline constexpr auto statuses = std::to_array<Status>({
    {200, "OK"},
    {204, "No Content"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {402, "Payment Required"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {529, "Overloaded"},
});

} // namespace usershell::web
