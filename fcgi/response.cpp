#include "fcgi/response.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "fcgi/records.hpp"
#include "web/header_value.hpp"
#include "web/status.hpp"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string_view>

#include <fastcgi.h>
#include <sys/socket.h>

namespace usershell::fcgi {

namespace {

/// Every parameter that is read, none of which may stand twice.
struct Known {
    std::optional<std::string_view> method;
    std::optional<std::string_view> uri;
    std::optional<std::string_view> content_type;
    std::optional<std::string_view> content_length;
    std::optional<std::string_view> client_address;
    std::optional<std::string_view> content_type_header; ///< the same as nginx's generic HTTP_*
    std::optional<std::string_view> cookie;
};

struct KnownRow {
    std::string_view name;
    std::optional<std::string_view> Known::*slot;
    std::string_view header; ///< as people call it, for the refusal
};

constexpr KnownRow known_rows[] = {
    {"REQUEST_METHOD", &Known::method, "method"},
    {"REQUEST_URI", &Known::uri, "path"},
    {"CONTENT_TYPE", &Known::content_type, "Content-Type"},
    {"HTTP_CONTENT_TYPE", &Known::content_type_header, "Content-Type"},
    {"CONTENT_LENGTH", &Known::content_length, "Content-Length"},
    {"REMOTE_ADDR", &Known::client_address, "client address"},
    {"HTTP_COOKIE", &Known::cookie, "Cookie"},
};

Refusal repeated(std::string_view header) {
    return invalid(
        header, {"The request has more than one {header}."_en, {{"header", std::string{header}}}});
}

/// True when `name` is one of the rows.
bool keep_known(Known& known, std::string_view name, std::string_view value) {
    const auto* row = std::find_if(std::begin(known_rows), std::end(known_rows),
                                   [&](const KnownRow& each) { return each.name == name; });
    if (row == std::end(known_rows)) return false;
    if ((known.*row->slot).has_value()) throw repeated(row->header);
    known.*row->slot = value;
    return true;
}

/// HTTP_ACCEPT_LANGUAGE → accept-language. Leading underscores stay: no header begins with '-'.
std::string header_name(std::string_view parameter) {
    std::string name = lower_ascii(parameter);
    const std::size_t first = std::min(name.find_first_not_of('_'), name.size());
    std::replace(name.begin() + static_cast<std::ptrdiff_t>(first), name.end(), '_', '-');
    return name;
}

void keep_header(web::Request& request, std::string_view parameter, std::string_view value) {
    std::string name = header_name(parameter);
    if (name == "x-request-id" || name == "content-length") return;
    request.headers.emplace(std::move(name), value);
}

Known read_params(web::Request& request, const std::vector<Param>& params) {
    constexpr std::string_view prefix = "HTTP_";
    Known known;
    for (const auto& [name, value] : params) {
        if (!keep_known(known, name, value) && name.starts_with(prefix))
            keep_header(request, name.substr(prefix.size()), value);
    }
    return known;
}

void keep_content_type(web::Request& request, const Known& known) {
    const auto& from_server = known.content_type;
    const auto& from_client = known.content_type_header;
    const bool both = from_server && !from_server->empty() && from_client;
    if (both && *from_server != *from_client) throw repeated("Content-Type");
    const std::string_view type =
        from_server.value_or("").empty() ? from_client.value_or("") : *from_server;
    if (!type.empty()) request.headers.emplace("content-type", type);
}

void split_uri(web::Request& request, std::string_view uri) {
    const std::size_t question = std::min(uri.find('?'), uri.size());
    request.path = uri.substr(0, question);
    request.query = uri.substr(std::min(question + 1, uri.size()));
    if (!request.path.starts_with('/')) throw invalid("path", "The request has no path."_en);
}

void check_length(std::string_view declared, std::size_t came) {
    const auto size = parse_number<std::size_t>(declared);
    if (!size) throw invalid("Content-Length", "Content-Length is no number."_en);
    if (*size != came) throw invalid("Content-Length", "The request body was cut short."_en);
}

} // namespace

void fill_request(web::Request& request, RequestRecords& records) {
    request.awaited = records.awaited;
    request.body = std::move(records.body);
    const Known known = read_params(request, records.params);
    request.method = web::parse_method(known.method.value_or(""));
    request.client_address = known.client_address.value_or("");
    if (known.cookie) request.headers.emplace("cookie", *known.cookie);
    split_uri(request, known.uri.value_or(""));
    keep_content_type(request, known);
    if (!request.awaited && !known.content_length.value_or("").empty())
        check_length(*known.content_length, records.body_size);
}

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
