// Text that is overwritten before its memory is given back: for what came over the wire and may
// hold a key, a password or a token, of which no copy may stay behind in freed memory, whatever
// ends its use (return, exception, growth). For a plaintext that is kept or used as a secret see
// crypto/secret.hpp: that one is also locked and guarded, and costs more.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string_view>
#include <utility>

namespace usershell {

/// Every buffer is overwritten when it is let go: by destruction, growth, assignment and clear().
/// Even a short text is on the heap, so that moving or swapping one leaves no copy as std::string
/// would. Read it as a std::string_view; views end when it changes. No stream
/// operator, so that it does not get into a log by accident. Used by one thread at a time.
class WipedString {
public:
    WipedString() = default;
    explicit WipedString(std::string_view text) { append(text); }
    ~WipedString() { clear(); }
    WipedString(const WipedString& other) : WipedString{std::string_view{other}} {}
    WipedString(WipedString&& other) noexcept { swap(other); }
    WipedString& operator=(WipedString other) noexcept {
        swap(other);
        return *this;
    }
    WipedString& operator=(std::string_view text) { return *this = WipedString{text}; }

    operator std::string_view() const { return {bytes_, size_}; } // NOLINT(*-explicit-*): a text
    const char* data() const { return bytes_; }
    char* data() { return bytes_; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }

    /// `text` may be a part of this one.
    WipedString& append(std::string_view text);
    void push_back(char c) { append({&c, 1}); }
    void reserve(std::size_t size);
    /// New bytes are zero.
    void resize(std::size_t size);
    /// Gives the buffer back as well.
    void clear();

    friend bool operator==(const WipedString& one, std::string_view other) {
        return std::string_view{one} == other;
    }

private:
    void swap(WipedString& other) noexcept {
        std::swap(bytes_, other.bytes_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
    }
    WipedString with_room_for(std::size_t size) const;

    char* bytes_ = nullptr;
    std::size_t size_ = 0;
    std::size_t capacity_ = 0;
};

std::ostream& operator<<(std::ostream&, const WipedString&) = delete;

} // namespace usershell
