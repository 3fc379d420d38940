// The two ends of a request: FastCGI parameters come in, a response goes out.
#pragma once

#include "base/error.hpp"
#include "fcgi/libfcgi.hpp"
#include "web/message.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace usershell::fcgi {

// FastCGI parameters → Request. Pure; any thread may call it.

/// Reads REQUEST_METHOD, REQUEST_URI (raw: split at the first '?'), CONTENT_TYPE, CONTENT_LENGTH,
/// REMOTE_ADDR and HTTP_*; ignores the rest, and a client's own X-Request-Id: the id is the
/// caller's to set. Throws a Refusal, 400, if one of those parameters, Cookie or Content-Type is
/// there twice, there is no path, or CONTENT_LENGTH is not the body's size. `request` is filled as
/// far as was read, so that a refusal can be answered in the form that the client accepts. It gets
/// the body of `records`.
void fill_request(web::Request& request, RequestRecords& records);

// A response on its way out: its head as CGI writes it (RFC 3875, 6.3), and the FastCGI records in
// which it travels from the event loop (FastCGI 1.0, sections 3.3, 5.3 and 5.5). A thread's are
// libfcgi's. Decision 0006.

/// A status or header that must not go out, such as a value that would forge another header; what()
/// names it, without its value.
class BadHead : public Error {
public:
    using Error::Error;
};

/// The head of a whole response, blank line included: Status, the headers, X-Request-Id and
/// Content-Length (but for 204 and 304). The response's own X-Request-Id and Content-Length are
/// left out. Throws BadHead. Pure.
std::string whole_head(const web::Response& response, std::string_view request_id);

/// The part of its body that is sent: none to HEAD, and with 204 and 304.
std::string_view whole_body(const web::Response& response, bool is_head);

/// The head of a stream: no length, and X-Accel-Buffering: no, so that nginx passes each piece on
/// at once.
std::string stream_head(const web::Response& response, std::string_view request_id);

/// The records of one response, kept until they are sent. Used by one thread.
class ResponseRecords {
public:
    /// `id`: FastCGI's, of the request.
    explicit ResponseRecords(std::uint16_t id) : id_{id} {}

    void append(std::string_view bytes);
    /// Head and body. Throws BadHead, having appended nothing.
    void append(const web::Response& whole, std::string_view request_id, bool is_head);
    /// The end of the response. Without it the web server sees that the response is broken.
    void end();

    /// Sends what the socket takes at once. Returns the errno of send(2) when that was not all,
    /// else 0. Bytes that are appended between two calls leave as one record, if it fits in one.
    int send(int connection);
    std::size_t size() const { return out_.size() - sent_; } ///< bytes that are not sent
    std::size_t capacity() const { return out_.capacity(); }
    /// The capacity that it has once so many bytes are appended.
    std::size_t capacity_with(std::size_t bytes) const;
    /// Gives the memory back, too.
    void clear() {
        std::string{}.swap(out_);
        sent_ = 0;
        record_ = none;
    }

private:
    void close_record();
    void drop_sent();

    static constexpr auto none = static_cast<std::size_t>(-1);
    static constexpr std::size_t kept_room = std::size_t{16} * 1024; ///< of an empty buffer
    /// Bytes that were sent are kept before the others, as long as they are fewer than this or
    /// than the others: so each byte is moved once at most.
    static constexpr std::size_t max_sent = std::size_t{64} * 1024;

    std::uint16_t id_;
    std::string out_;
    std::size_t sent_ = 0;      ///< bytes of `out_`
    std::size_t record_ = none; ///< where the record begins whose length is still open
};

} // namespace usershell::fcgi
