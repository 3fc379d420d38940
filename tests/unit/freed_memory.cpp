#include "tests/unit/freed_memory.hpp"
#include <cstdlib>
#include <cstring> // memmem(3)
#include <malloc.h>
#include <new>
namespace {
std::atomic<const char*> marked{nullptr};
std::atomic<std::size_t> marked_size{0};
std::atomic<int> found{0};
void look_into(void* block) noexcept {
    const char* const looked_for = marked;
    if (block != nullptr && looked_for != nullptr &&
        ::memmem(block, ::malloc_usable_size(block), looked_for, marked_size) != nullptr)
        ++found;
}
[[gnu::noinline]] void look_and_free(void* block) noexcept {
    look_into(block);
    std::free(block);
}
} // namespace
void* operator new(std::size_t size) {
    // Zeroed, so that all that is found was written by the block's user.
    if (void* const block = std::calloc(1, size == 0 ? 1 : size)) return block;
    throw std::bad_alloc{};
}
void operator delete(void* block) noexcept { look_and_free(block); }
void operator delete(void* block, std::size_t /*size*/) noexcept { look_and_free(block); }
#ifdef USERSHELL_LOOKS_INTO_C
// NOLINTBEGIN(bugprone-reserved-identifier): the linker's names
extern "C" {
void __real_free(void* block);
void* __wrap_malloc(std::size_t size) { return std::calloc(1, size); }
void __wrap_free(void* block) {
    look_into(block);
    __real_free(block);
}
}
// NOLINTEND(bugprone-reserved-identifier)
#endif
namespace usershell::test {
FreedMemory::FreedMemory(std::string_view marker) {
    found = 0;
    marked_size = marker.size();
    marked = marker.data();
}
FreedMemory::~FreedMemory() { marked = nullptr; }
int FreedMemory::blocks_with_marker() const { return found; }
} // namespace usershell::test
