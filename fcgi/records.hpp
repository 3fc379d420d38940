// The door in front of libfcgi. It reads one whole request off a connection, within a time and a
// size, and lets through only what a web server sends: BEGIN_REQUEST of a responder, PARAMS, STDIN,
// in this order, of one request id (FastCGI 1.0, sections 3.3, 5 and 6.2). libfcgi 2.4.2 reads no
// length and no management record with enough suspicion: a few bytes would overrun a buffer or make
// it allocate without bound. What it is given afterwards is written by compose().
#pragma once

#include "base/error.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace usershell::fcgi {

struct RecordLimits {
    std::size_t params =
        128UL * 1024;                 ///< bytes of all parameters; nginx's headers are below 40 KiB
    std::size_t body = 0;             ///< bytes kept
    std::chrono::milliseconds time{}; ///< from the first wait to the last byte
};

struct RequestRecords {
    std::uint16_t id = 0;
    std::string params; ///< the content of all PARAMS records; its lengths are sound, no NUL in it
    std::string body;   ///< empty when it was over the limit
    std::size_t body_size = 0;
};

/// What came is no request; what() is a constant that says why.
class BadRecords : public Error {
public:
    using Error::Error;
};

/// Nothing when the peer left without a word. Throws BadRecords. `connection` is a blocking socket.
std::optional<RequestRecords> read_request(int connection, const RecordLimits& limits);

/// The same request in well-formed records.
std::string compose(const RequestRecords& request);

} // namespace usershell::fcgi
