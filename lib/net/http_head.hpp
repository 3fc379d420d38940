// The heads of HTTP: a request's header lines as libcurl sends them, an answer's head from the
// lines that libcurl hands over. For transfer.cpp only.
#pragma once

#include "net/curl.hpp"
#include "net/http_client.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::net {

/// False when the method is another than GET or POST, or when a header, an own one or the key holds
/// what would end its line: libcurl sends header lines as it is given them.
bool can_be_sent(const HttpRequest& request, std::span<const KeyHeader> own_headers);

LineList header_lines(const HttpRequest& request, std::span<const KeyHeader> own_headers);

class HeadReader {
public:
    enum class State {
        reading,
        done,      ///< the final head is whole; what follows are trailers, which are dropped
        too_large, ///< more than 64 KiB of heads and trailers
        encoded_twice,
    };

    /// One line with its end. Heads of interim answers (1xx) are passed over.
    State take(std::string_view line);
    /// Whole once the state is done.
    HttpHead& head() { return head_; }
    bool done() const { return state_ == State::done; }
    /// The body has a content coding that ContentDecoder takes off, or a transfer coding that
    /// libcurl does. A second one is refused: a KiB that was compressed twice can become a GiB.
    bool is_encoded() const { return codings_ > 0; }
    /// That content coding, in lower case; empty: the body is as it is. A word that names none
    /// ("utf-8", "none") says nothing about the bytes.
    const std::string& coding() const { return coding_; }

private:
    void take_field(std::string_view line);
    void take_codings(std::string_view list, bool of_the_transfer);

    HttpHead head_;
    State state_ = State::reading;
    std::size_t bytes_ = 0;
    std::string coding_;
    int codings_ = 0; ///< of interim heads, too: libcurl takes their transfer codings off
};

} // namespace usershell::net
