#include "base/wiping.hpp"

#include <algorithm>
#include <cstring> // explicit_bzero(3), which a compiler does not leave out
#include <memory>

namespace usershell {

WipedString& WipedString::append(std::string_view text) {
    if (text.empty()) return *this;
    WipedString old; // lives until `text` has been read, which may be a part of it
    if (text.size() > capacity_ - size_) {
        old = with_room_for(std::max(size_ + text.size(), 2 * capacity_));
        swap(old);
    }
    std::copy(text.begin(), text.end(), bytes_ + size_);
    size_ += text.size();
    return *this;
}

void WipedString::reserve(std::size_t size) {
    if (size > capacity_) *this = with_room_for(size);
}

void WipedString::resize(std::size_t size) {
    reserve(size);
    if (size > size_) std::fill(bytes_ + size_, bytes_ + size, '\0');
    size_ = size;
}

void WipedString::clear() {
    if (bytes_ != nullptr) {
        ::explicit_bzero(bytes_, capacity_);
        std::allocator<char>{}.deallocate(bytes_, capacity_);
    }
    bytes_ = nullptr;
    size_ = capacity_ = 0;
}

WipedString WipedString::with_room_for(std::size_t size) const {
    WipedString copy;
    copy.bytes_ = std::allocator<char>{}.allocate(size);
    copy.capacity_ = size;
    std::copy(bytes_, bytes_ + size_, copy.bytes_);
    copy.size_ = size_;
    return copy;
}

} // namespace usershell
