// Reads one whole request off a connection, within a time and a size, and lets through only what a
// web server sends: BEGIN_REQUEST of a responder, PARAMS, STDIN, in this order, of one request id
// (FastCGI 1.0, sections 3.3, 3.4, 5 and 6.2). Why libfcgi does not read it: decision 0006.
#pragma once

#include "base/error.hpp"
#include "base/wiping.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace usershell::fcgi {

struct RecordLimits {
    std::size_t max_params =
        128UL * 1024;         ///< bytes of all parameters; nginx's headers are below 40 KiB
    std::size_t max_body = 0; ///< bytes kept
    std::chrono::milliseconds timeout{}; ///< for the whole request
};

/// A parameter, such as HTTP_COOKIE. The name is not empty; neither holds a NUL.
struct Param {
    std::string_view name;
    std::string_view value;
};

/// Moved, not copied: the parameters are views into it.
struct RequestRecords {
    RequestRecords() = default;
    RequestRecords(RequestRecords&&) = default;
    RequestRecords& operator=(RequestRecords&&) = default;

    std::uint16_t id = 0;
    std::vector<Param> params; ///< as sent, in order
    WipedString param_bytes;   ///< what they are views into
    WipedString body;          ///< empty when it was over the limit
    std::size_t body_size = 0; ///< bytes that were received, kept or not
    bool is_late = false;      ///< the body is still to be read
    WipedString early;         ///< of a late one: what has been received of its records
};

/// The bytes received are no valid request; what() is a constant sentence that says why.
class BadRecords : public Error {
public:
    using Error::Error;
};

/// Is the body of a request with that path and query read later, by BodyReader, unless it has come
/// together with the parameters? `announced`: its bytes, as the web server says; 0: it says none.
using ReadsLate = std::function<bool(std::string_view uri, std::size_t announced)>;

/// Null: the peer has closed before it has sent a byte. `reads_late` may be empty: all bodies are
/// read. Throws BadRecords.
std::optional<RequestRecords> read_request(int connection, const RecordLimits& limits,
                                           const ReadsLate& reads_late = {});

/// Takes a late body out of the records that bring it, in whatever pieces their bytes come.
class BodyReader {
public:
    explicit BodyReader(std::uint16_t id) : id_{id} {}

    using Take = std::function<void(std::string_view)>;
    /// Gives the content to `take`. True once the record has come that ends the body. Throws
    /// BadRecords.
    bool feed(std::string_view bytes, const Take& take);

private:
    void take_header();

    std::uint16_t id_;
    std::array<char, 8> header_{};
    std::size_t header_bytes_ = 0;
    std::size_t content_ = 0; ///< bytes of this record that are still to come
    std::size_t padding_ = 0;
    bool is_last_ = false;
};

} // namespace usershell::fcgi
