// Takes a content coding off bytes, piece by piece, whatever the pieces are. For answers of
// providers, where libcurl fails on a coding that it does not know, and for bodies of tools.
// Sources: RFC 9110, 8.4.1 (gzip, deflate), RFC 7932 (br), RFC 9659 (zstd and its window).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

namespace usershell::net {

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
    /// or `sink` has returned false; nothing more is decoded then. What follows the end of the
    /// coding is dropped. Throws std::bad_alloc and what `sink` throws.
    bool take(std::string_view bytes, const std::function<bool(std::string_view)>& sink);
    /// Has the coding come to its end, and has nothing followed?
    bool is_complete() const { return at_ == At::end; }
    /// Has it begun, and not come to its end? What was given is a part then.
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
