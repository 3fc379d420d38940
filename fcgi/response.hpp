// A response on its way out: its head as CGI writes it (RFC 3875, 6.3), and the FastCGI records in
// which head and body travel. The records are libfcgi's work; this is the only file that knows it.
// Decision 0006 says what libfcgi is used for and how.
#pragma once

#include "base/error.hpp"
#include "web/message.hpp"

#include <cstdint>
#include <string>
#include <string_view>

#include <fcgiapp.h>

namespace usershell::fcgi {

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

/// The head of a stream: no length, and X-Accel-Buffering: no, so that nginx passes each piece on
/// at once.
std::string stream_head(const web::Response& response, std::string_view request_id);

/// Call once, before any ResponseWriter and while there is one thread. All signals must be blocked.
/// Throws SystemError.
void start_libfcgi();

/// Writes the records of one response. Used by one thread.
class ResponseWriter {
public:
    /// `connection` is not owned; it must be open as long as this lives. Throws Error
    /// when libfcgi refuses.
    ResponseWriter(int connection, std::uint16_t request_id);
    /// Without finish() the web server sees a broken response.
    ~ResponseWriter();
    ResponseWriter(const ResponseWriter&) = delete;
    ResponseWriter& operator=(const ResponseWriter&) = delete;

    /// Queues a piece of the response. After a failure it does nothing.
    void write(std::string_view bytes);
    /// Sends the rest and says that the response is whole; false when it did not get through.
    bool finish();
    /// errno of the first failure, 0 when there was none.
    int failure() const { return failure_; }

private:
    void note_failure();

    FCGX_Request request_{};
    int failure_ = 0;
};

} // namespace usershell::fcgi
