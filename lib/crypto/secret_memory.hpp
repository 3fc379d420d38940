// Where the bytes of a Secret live: memory of libsodium's (sodium_malloc), between guard pages,
// locked, with a canary. A piece of its own costs seven system calls, eight KiB and four mappings,
// and every other thread of the process a flush of its address cache; so short secrets share such
// pieces, in slots. Thread-safe. For secret.cpp only.
#pragma once

#include <cstddef>

namespace usershell::crypto {

/// `size` bytes, all zero; give them back with the same size. Throws std::bad_alloc when memory is
/// short.
char* allocate_secret(std::size_t size);

/// Overwrites them. Slots stay with the process: there are as many as there were short secrets at
/// a time, at most, rounded up to a whole piece of 64.
void free_secret(char* bytes, std::size_t size) noexcept;

} // namespace usershell::crypto
