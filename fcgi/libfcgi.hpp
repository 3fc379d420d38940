// A request as libfcgi reads it, and the writer of its response. libfcgi.cpp is libfcgi's
// operating-system layer (<fcgios.h>), too, in place of its own. libfcgi reads no byte of a peer
// before the checks of records.hpp, and no header of a peer at all: the layer writes each header
// that libfcgi reads. So no management record gets there. Decision 0006.
#pragma once

#include "base/wiping.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include <fcgiapp.h>

namespace usershell::fcgi {

struct RecordLimits {
    std::size_t max_params =
        128UL * 1024;         ///< bytes of all parameters; nginx's headers are below 40 KiB
    std::size_t max_body = 0; ///< bytes kept; of a larger body, one more
    std::chrono::milliseconds timeout{}; ///< for the whole request
};

/// A parameter, such as HTTP_COOKIE.
struct Param {
    std::string_view name;
    std::string_view value;
};

/// libfcgi's memory of a request, wiped in the end. It does not close the connection.
class LibfcgiRequest {
public:
    /// Reads BEGIN_REQUEST and PARAMS. Throws Error in a thread that does not run read_request().
    LibfcgiRequest();
    ~LibfcgiRequest();
    LibfcgiRequest(const LibfcgiRequest&) = delete; // libfcgi points to it
    LibfcgiRequest& operator=(const LibfcgiRequest&) = delete;

    /// As sent, in order, after FCGI_ROLE. Valid as long as the request is.
    std::vector<Param> params() const;
    /// The next bytes of the body; fewer than `room` at its end or a fault. In read_request()
    /// alone.
    std::size_t read(char* buffer, std::size_t room) const;
    /// Sends the response and ends it. Returns the errno of a failed send(2), else 0; EAGAIN, too,
    /// when a piece of 32 KiB took longer than `stall`. Call once; any thread.
    int send(std::string_view head, std::string_view body, std::chrono::milliseconds stall) const;

private:
    FCGX_Request request_{};
};

/// Moved, not copied.
struct RequestRecords {
    std::uint16_t id = 0;
    std::unique_ptr<LibfcgiRequest> library;
    std::vector<Param> params; ///< views into `library`
    WipedString body;
    std::size_t body_size = 0;            ///< bytes that were received, kept or not
    std::optional<std::size_t> awaited{}; ///< as of web::Request; nothing was received then
    WipedString early;                    ///< of an awaited one: what has come of its records
};

/// Is the body of a request with that path and query read later, unless it has come together with
/// the parameters? `announced`: its bytes, as the web server says; 0: it says none.
using ReadsLate = std::function<bool(std::string_view uri, std::size_t announced)>;

/// Null: the peer has closed before it has sent a byte. `reads_late` may be empty: all bodies are
/// read. Throws BadRecords. Any thread.
std::optional<RequestRecords> read_request(int connection, const RecordLimits& limits,
                                           const ReadsLate& reads_late = {});

} // namespace usershell::fcgi
