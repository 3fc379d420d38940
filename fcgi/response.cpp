#include "fcgi/response.hpp"

#include "base/ascii.hpp"
#include "runtime/descriptor.hpp"
#include "web/header_value.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <mutex>

#include <sys/mman.h>

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
    {529, "Overloaded"}, // of Anthropic's routes alone
});

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

/// The beginning of a request, without which libfcgi opens no stream: BEGIN_REQUEST of a responder
/// and the end of PARAMS.
constexpr unsigned char empty_request[] = {
    1, 1, 0, 1, 0, 8, 0, 0, // BEGIN_REQUEST, request id 1, 8 bytes
    0, 1, 0, 0, 0, 0, 0, 0, // responder
    1, 4, 0, 1, 0, 0, 0, 0, // PARAMS, no bytes
};

/// One file in memory with the empty request, from which libfcgi reads each request's beginning: no
/// descriptor is needed for a response, and so none can be missing.
class EmptyRequest {
public:
    void open() {
        file_ = Descriptor{::memfd_create("fastcgi-empty-request", MFD_CLOEXEC)};
        if (!file_ || ::write(file_.get(), empty_request, sizeof(empty_request)) !=
                          static_cast<ssize_t>(sizeof(empty_request)))
            throw SystemError{"memory file"};
    }

    /// Makes libfcgi read it.
    void accept(FCGX_Request& request) {
        const std::scoped_lock lock{mutex_}; // the place in the file is everybody's
        if (::lseek(file_.get(), 0, SEEK_SET) != 0) throw SystemError{"memory file"};
        request.ipcFd = file_.get();
        request.keepConnection = 1; // or it would close ipcFd and accept another
        if (FCGX_Accept_r(&request) == 0) return;
        static_cast<void>(file_.release()); // closed by libfcgi, which closes what it fails to read
        open();
        throw Error{"libfcgi refused the request"};
    }

private:
    std::mutex mutex_;
    Descriptor file_;
};

EmptyRequest& the_empty_request() {
    static EmptyRequest request;
    return request;
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

/// FCGX_Init installs handlers that would only set a flag of its own, and one for SIGPIPE.
void start_libfcgi() {
    if (const int error = FCGX_Init(); error != 0) throw SystemError{"FCGX_Init", error};
    for (const int number : {SIGTERM, SIGUSR1}) static_cast<void>(std::signal(number, SIG_DFL));
    static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
    the_empty_request().open();
}

ResponseWriter::ResponseWriter(int connection, std::uint16_t request_id) {
    FCGX_InitRequest(&request_, -1, 0);
    the_empty_request().accept(request_);
    request_.requestId = request_id;
    request_.ipcFd = connection;
}

ResponseWriter::~ResponseWriter() { FCGX_Free(&request_, 0); }

void ResponseWriter::write(std::string_view bytes) {
    constexpr std::size_t max_piece = 1UL << 20U; // libfcgi counts in int
    while (!bytes.empty() && failure_ == 0) {
        const std::string_view piece = bytes.substr(0, max_piece);
        FCGX_PutStr(piece.data(), static_cast<int>(piece.size()), request_.out);
        note_failure();
        bytes.remove_prefix(piece.size());
    }
}

bool ResponseWriter::finish() {
    if (failure_ == 0) {
        FCGX_FClose(request_.err); // first, or the end would take a write(2) of its own
        FCGX_FClose(request_.out);
    }
    note_failure();
    return failure_ == 0;
}

/// FFlush answers 0 after the first error, so the stream's own state is asked.
void ResponseWriter::note_failure() {
    if (failure_ == 0) failure_ = std::abs(FCGX_GetError(request_.out));
}

} // namespace usershell::fcgi
