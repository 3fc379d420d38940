// The records of a request, taken apart and checked (FastCGI 1.0, sections 3.3, 3.4, 5 and 6.2).
// Only what a web server sends passes: BEGIN_REQUEST of a responder, PARAMS, STDIN, in this order,
// of one request id. Pure.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace usershell::fcgi {

/// The bytes received are no valid request; what() is a constant sentence that says why.
class BadRecords : public Error {
public:
    using Error::Error;
};

/// Takes the content of one part of a request out of the records that bring it, in whatever pieces
/// their bytes come.
class RecordReader {
public:
    /// `type`: FCGI_BEGIN_REQUEST, which brings the request's id, FCGI_PARAMS or FCGI_STDIN.
    explicit RecordReader(std::uint8_t type, std::uint16_t id = 0) : type_{type}, id_{id} {}

    /// Takes the next content, of at most `max` bytes, off the front of `bytes`, with the headers
    /// and padding before it. Empty: the bytes are used up, or the part has ended. Throws
    /// BadRecords.
    std::string_view next(std::string_view& bytes, std::size_t max = std::string_view::npos);
    bool ended() const { return is_last_ && content_ == 0 && padding_ == 0; }
    std::uint16_t id() const { return id_; }

private:
    void take_header();

    std::uint8_t type_;
    std::uint16_t id_;
    std::array<unsigned char, 8> header_{};
    std::size_t header_bytes_ = 0;
    std::size_t content_ = 0; ///< bytes of this record that are still to come
    std::size_t padding_ = 0;
    bool is_last_ = false;
};

/// The header of a record without padding.
std::array<char, 8> record_header(std::uint8_t type, std::uint16_t id, std::size_t content);

/// The content of PARAMS is pairs of sound lengths. A name is of letters, digits and underscores,
/// and no value has a NUL: so "name=value" says the same. Throws BadRecords.
void check_params(std::string_view content);

} // namespace usershell::fcgi
