#include "adapters/reading/json_memory.hpp"

#include <functional>

namespace usershell::adapters {

void* JsonMemory::do_allocate(std::size_t size, std::size_t alignment) {
    const auto start = (used_ + alignment - 1) / alignment * alignment;
    if (size <= room_.size() && start <= room_.size() - size) {
        used_ = start + size;
        return room_.data() + start;
    }
    if (size > left_) throw Exceeded{};
    void* const bytes =
        ::operator new(size); // Boost.JSON asks for no more than the usual alignment
    left_ -= size;
    return bytes;
}

void JsonMemory::do_deallocate(void* bytes, std::size_t size, std::size_t /*alignment*/) {
    const std::less<> before; // a total order of pointers, too
    if (!before(bytes, room_.data()) && before(bytes, room_.data() + room_.size())) return;
    ::operator delete(bytes);
    left_ += size;
}

} // namespace usershell::adapters
