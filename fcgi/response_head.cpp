#include "fcgi/response_head.hpp"

#include "base/text.hpp"
#include "web/header_value.hpp"

#include <algorithm>
#include <array>

namespace usershell::fcgi {

namespace {

struct StatusRow {
    int status;
    std::string_view phrase;
};

/// RFC 9110, section 15, and RFC 6585: what docs/contract.md, section 1, uses.
constexpr auto status_rows = std::to_array<StatusRow>({
    {200, "OK"},
    {204, "No Content"},
    {302, "Found"},
    {303, "See Other"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
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
});

std::string status_line(int status) {
    const auto* row = std::find_if(status_rows.begin(), status_rows.end(),
                                   [&](const StatusRow& each) { return each.status == status; });
    if (row == status_rows.end()) throw BadHead{"status " + std::to_string(status)};
    return "Status: " + std::to_string(status) + " " + std::string{row->phrase} + "\r\n";
}

bool is_token(std::string_view name) {
    return !name.empty() && std::ranges::all_of(name, web::is_token_character);
}

bool is_field_value(std::string_view value) {
    return std::none_of(value.begin(), value.end(), [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
    });
}

/// Headers that a program behind a web server has no say in.
bool is_the_servers(std::string_view lower_name) {
    return lower_name == "status" || lower_name == "transfer-encoding" ||
           lower_name == "connection";
}

std::string head_text(const web::Response& response, std::string_view request_id,
                      std::string_view own_header, std::string_view own_value) {
    std::string head = status_line(response.status);
    for (const auto& [name, value] : response.headers) {
        const std::string lower = lower_ascii(name);
        if (!is_token(name) || is_the_servers(lower)) throw BadHead{"a header's name"};
        if (!is_field_value(value)) throw BadHead{"the value of " + name};
        if (lower == "x-request-id" || lower == "content-length" ||
            lower == lower_ascii(own_header))
            continue;
        head.append(name).append(": ").append(value).append("\r\n");
    }
    head.append("X-Request-Id: ").append(request_id).append("\r\n");
    if (!own_header.empty()) head.append(own_header).append(": ").append(own_value).append("\r\n");
    return head += "\r\n";
}

} // namespace

std::string whole_head(const web::Response& response, std::string_view request_id) {
    const bool has_length = response.status != 204 && response.status != 304;
    return head_text(response, request_id, has_length ? "Content-Length" : "",
                     std::to_string(response.body.size()));
}

std::string stream_head(const web::Response& response, std::string_view request_id) {
    return head_text(response, request_id, "X-Accel-Buffering", "no");
}

} // namespace usershell::fcgi
