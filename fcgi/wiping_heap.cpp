// Replaces operator delete in the program that it is linked into: a block is overwritten before it
// is given back. usershell-auth handles passwords, cookies and shown tokens, which pass through
// strings of parts that know nothing of WipedString (the template, the response). No copy of them
// stays behind in freed memory, wherever it was made. It costs a write of what is freed.
//
// Sanitizers have an allocator of their own, which this would take the place of.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

#include <cstdlib>
#include <cstring> // explicit_bzero(3), which a compiler does not leave out
#include <new>

#include <malloc.h>

namespace {

/// The library's operator new takes malloc(3), so its blocks are given to free(3).
void wipe_and_free(void* block) noexcept {
    if (block == nullptr) return;
    ::explicit_bzero(block, ::malloc_usable_size(block));
    std::free(block);
}

} // namespace

// Those of arrays call these.
// NOLINTBEGIN(cert-dcl54-cpp,misc-new-delete-overloads): see wipe_and_free()
void operator delete(void* block) noexcept { wipe_and_free(block); }
void operator delete(void* block, std::size_t /*size*/) noexcept { wipe_and_free(block); }
void operator delete(void* block, std::align_val_t /*alignment*/) noexcept { wipe_and_free(block); }
void operator delete(void* block, std::size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
    wipe_and_free(block);
}
// NOLINTEND(cert-dcl54-cpp,misc-new-delete-overloads)

#endif
