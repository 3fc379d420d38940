// The heads of HTTP: a request's header lines as libcurl sends them, an answer's head from the
// lines that libcurl hands over. For transfer.cpp only.
#pragma once

#include "net/curl.hpp"
#include "net/http_client.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
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

// Takes a content coding off bytes, piece by piece, whatever the pieces are. For answers of
// providers, where libcurl fails on a coding that it does not know, and for bodies of tools.
// Sources: RFC 9110, 8.4.1 (gzip, deflate), RFC 7932 (br), RFC 9659 (zstd and its window).

/// One thread.
class ContentDecoder {
public:
    /// Of one coding, in lower case. nullptr when there is no decoder: the bytes are as they are.
    static std::unique_ptr<ContentDecoder> of(std::string_view coding);
    /// The most bytes that such a decoder takes besides what it gives; 0: there is none.
    static std::size_t memory_of(std::string_view coding);

    virtual ~ContentDecoder() = default;
    ContentDecoder(const ContentDecoder&) = delete;
    ContentDecoder& operator=(const ContentDecoder&) = delete;

    /// Gives what the bytes decode to, in parts of at most 16 KiB. False when they can't be decoded
    /// or `sink` has returned false; nothing more is decoded then. Bytes behind the end of the
    /// coding are dropped. Throws std::bad_alloc and what `sink` throws.
    bool take(std::string_view bytes, const std::function<bool(std::string_view)>& sink);
    /// Has the coding come to its end, and has nothing followed?
    bool is_complete() const { return at_ == At::end; }
    /// Has it begun, and not come to its end? The bytes that were given are a part then.
    bool is_cut() const { return at_ == At::inside; }

protected:
    enum class Status { goes_on, ended, broken };
    ContentDecoder() = default;

    /// Decodes from the front of `bytes` into the front of `room`, and shortens both to the rest.
    virtual Status step(std::string_view& bytes, std::span<char>& room) = 0;
    /// After the end: do these bytes, at least one, begin another member of the coding?
    virtual bool begins_again(std::string_view) { return false; }

private:
    enum class At { start, inside, end, beyond };
    At at_ = At::start;
};

} // namespace usershell::net
