// Memory that is overwritten before it is given back: for what came over the wire and may hold a
// key, a password or a token, of which no copy may stay behind in freed memory, whatever ends its
// use (return, exception, growth). For a plaintext that is kept or used as a secret see
// crypto/secret.hpp: that one is also locked and guarded, and costs pages.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string_view>
#include <vector>

#include <string.h> // explicit_bzero(3), which a compiler does not leave out

namespace usershell {

/// std::allocator that overwrites. For containers whose elements lie in their allocations alone:
/// std::vector does, std::basic_string keeps short texts in itself.
template <class T>
struct WipingAllocator {
    using value_type = T;

    WipingAllocator() = default;
    template <class U>
    WipingAllocator(const WipingAllocator<U>& /*other*/) noexcept {
    } // NOLINT: as allocators convert

    T* allocate(std::size_t count) { return std::allocator<T>{}.allocate(count); }
    void deallocate(T* start, std::size_t count) noexcept {
        ::explicit_bzero(start, count * sizeof(T));
        std::allocator<T>{}.deallocate(start, count);
    }

    template <class U>
    bool operator==(const WipingAllocator<U>& /*other*/) const noexcept {
        return true;
    }
};

/// Text whose every buffer is overwritten when it is let go: by destruction, growth, assignment and
/// clear(). Each text, however short, lies on the heap, so that a moved or swapped one leaves
/// nothing behind. Read it as a std::string_view; views end when it changes. No stream operator, so
/// that it does not get into a log by accident. Used by one thread at a time.
class WipedString {
public:
    WipedString() = default;
    explicit WipedString(std::string_view text) : bytes_{text.begin(), text.end()} {}
    WipedString& operator=(std::string_view text) {
        WipedString copy{text}; // `text` may be a part of this one
        bytes_.swap(copy.bytes_);
        return *this;
    }

    operator std::string_view() const { // NOLINT(*-explicit-*): it is a text
        return {bytes_.data(), bytes_.size()};
    }
    const char* data() const { return bytes_.data(); }
    char* data() { return bytes_.data(); }
    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }

    WipedString& append(std::string_view text) {
        bytes_.insert(bytes_.end(), text.begin(), text.end());
        return *this;
    }
    void push_back(char c) { bytes_.push_back(c); }
    void reserve(std::size_t size) { bytes_.reserve(size); }
    /// New bytes are zero.
    void resize(std::size_t size) { bytes_.resize(size); }
    /// Gives the buffer back as well.
    void clear() { Bytes{}.swap(bytes_); }

    friend bool operator==(const WipedString& one, std::string_view other) {
        return std::string_view{one} == other;
    }

private:
    using Bytes = std::vector<char, WipingAllocator<char>>;
    Bytes bytes_;
};

std::ostream& operator<<(std::ostream&, const WipedString&) = delete;

} // namespace usershell
