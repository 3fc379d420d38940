#include "fcgi/response.hpp"

#include "base/ascii.hpp"
#include "fcgi/records.hpp"
#include "web/header_value.hpp"
#include "web/status.hpp"

#include <algorithm>
#include <cerrno>

#include <fastcgi.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

std::string status_line(int status) {
    const auto* const row = std::ranges::find(web::statuses, status, &web::Status::number);
    if (row == web::statuses.end()) throw BadHead{"status " + std::to_string(status)};
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

bool has_body(const web::Response& response) {
    return response.status != 204 && response.status != 304;
}

} // namespace

std::string whole_head(const web::Response& response, std::string_view request_id) {
    return head_text(response, request_id, has_body(response) ? "Content-Length" : "",
                     std::to_string(response.body.size()));
}

std::string_view whole_body(const web::Response& response, bool is_head) {
    return is_head || !has_body(response) ? std::string_view{} : response.body;
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
            out_.append(FCGI_HEADER_LEN, '\0'); // until its length is known
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
    const std::string_view body = whole_body(whole, is_head);
    out_.reserve(capacity_with(head.size() + body.size()));
    append(head);
    append(body);
}

void ResponseRecords::close_record() {
    if (record_ == none) return;
    const std::size_t length = out_.size() - record_ - FCGI_HEADER_LEN;
    std::ranges::copy(record_header(FCGI_STDOUT, id_, length), out_.data() + record_);
    record_ = none;
}

void ResponseRecords::end() {
    close_record();
    const FCGI_EndRequestBody complete{}; // FCGI_REQUEST_COMPLETE, and the program's status, are 0
    for (const auto& header : {record_header(FCGI_STDOUT, id_, 0),
                               record_header(FCGI_END_REQUEST, id_, sizeof(complete))})
        out_.append(header.data(), header.size());
    out_.append(sizeof(complete), '\0');
}

int ResponseRecords::send(int connection) {
    close_record();
    int error = 0;
    while (size() > 0 && error == 0) {
        const ssize_t count =
            ::send(connection, out_.data() + sent_, size(), MSG_DONTWAIT | MSG_NOSIGNAL);
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
        // NOLINTNEXTLINE(modernize-shrink-to-fit): it would copy what is sent, too
        std::string{out_, sent_}.swap(out_); // erase() would keep the memory
    else
        out_.erase(0, sent_);
    sent_ = 0;
}

} // namespace usershell::fcgi
