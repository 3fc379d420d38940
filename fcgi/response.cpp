#include "fcgi/response.hpp"

#include "base/ascii.hpp"
#include "web/header_value.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include <fastcgi.h>
#include <sys/socket.h>

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
    {402, "Payment Required"}, // of tools' routes alone
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
    {529, "Overloaded"}, // of Messages alone
});

char byte_of(std::size_t number, unsigned shift) {
    return static_cast<char>(static_cast<unsigned char>(number >> shift));
}

std::string status_line(int status) {
    const auto* row = std::find_if(status_rows.begin(), status_rows.end(),
                                   [&](const StatusRow& each) { return each.status == status; });
    if (row == status_rows.end()) throw BadHead{"status " + std::to_string(status)};
    return "Status: " + std::to_string(status) + " " + std::string{row->phrase} + "\r\n";
}

/// RFC 9110, 5.6.2.
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

/// Its content's length is still to be filled in.
void append_header(std::string& out, unsigned char type, std::uint16_t id) {
    out += {static_cast<char>(FCGI_VERSION_1),
            static_cast<char>(type),
            byte_of(id, 8),
            byte_of(id, 0),
            0,
            0,
            0,
            0};
}

void set_length(std::string& out, std::size_t record) {
    const std::size_t length = out.size() - record - FCGI_HEADER_LEN;
    out[record + 4] = byte_of(length, 8);
    out[record + 5] = byte_of(length, 0);
}

bool has_body(const web::Response& response) {
    return response.status != 204 && response.status != 304;
}

} // namespace

std::string whole_head(const web::Response& response, std::string_view request_id) {
    return head_text(response, request_id, has_body(response) ? "Content-Length" : "",
                     std::to_string(response.body.size()));
}

std::string stream_head(const web::Response& response, std::string_view request_id) {
    return head_text(response, request_id, "X-Accel-Buffering", "no");
}

std::size_t ResponseRecords::capacity_with(std::size_t bytes) const {
    // Headers of records, that of an open one, the end.
    constexpr std::size_t frames = 64;
    const std::size_t size = out_.size() + bytes + bytes / 1024 + frames;
    return size <= out_.capacity() ? out_.capacity() : std::max(size, 2 * out_.capacity());
}

void ResponseRecords::append(std::string_view bytes) {
    if (bytes.size() > kept_room) out_.reserve(capacity_with(bytes.size()));
    while (!bytes.empty()) {
        if (record_ == none) {
            record_ = out_.size();
            append_header(out_, FCGI_STDOUT, id_);
        }
        const std::size_t room = FCGI_MAX_LENGTH - (out_.size() - record_ - FCGI_HEADER_LEN);
        const auto part = bytes.substr(0, room);
        out_.append(part);
        bytes.remove_prefix(part.size());
        if (part.size() == room) close_record();
    }
}

void ResponseRecords::append(const web::Response& whole, std::string_view request_id,
                             bool is_head) {
    const std::string head = whole_head(whole, request_id);
    const std::string_view body = is_head || !has_body(whole) ? std::string_view{} : whole.body;
    out_.reserve(capacity_with(head.size() + body.size()));
    append(head);
    append(body);
}

void ResponseRecords::close_record() {
    if (record_ != none) set_length(out_, record_);
    record_ = none;
}

void ResponseRecords::end() {
    close_record();
    append_header(out_, FCGI_STDOUT, id_); // empty: the end of the stream
    const std::size_t record = out_.size();
    append_header(out_, FCGI_END_REQUEST, id_);
    out_.append(4, 0); // the program's status
    out_ += {static_cast<char>(FCGI_REQUEST_COMPLETE), 0, 0, 0};
    set_length(out_, record);
}

int ResponseRecords::send(int connection, int flags) {
    close_record();
    int error = 0;
    while (size() > 0 && error == 0) {
        const ssize_t count = ::send(connection, out_.data() + sent_, std::min(size(), max_piece),
                                     flags | MSG_NOSIGNAL);
        if (count >= 0)
            sent_ += static_cast<std::size_t>(count);
        else if (errno != EINTR)
            error = errno;
    }
    drop_sent();
    return error;
}

void ResponseRecords::drop_sent() {
    if (size() > 0 && (sent_ <= max_sent || sent_ < size())) return;
    if (out_.capacity() > (size() == 0 ? kept_room : max_sent))
        std::string{out_, sent_}.swap(out_); // erase() would keep the memory
    else
        out_.erase(0, sent_);
    sent_ = 0;
}

} // namespace usershell::fcgi
