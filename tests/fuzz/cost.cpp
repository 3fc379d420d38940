// With AddressSanitizer every malloc(3) is counted, also those of libraries; without it what
// operator new gives.
#include "cost.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

#include <malloc.h>

#ifndef __has_feature
#define __has_feature(feature) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#define USERSHELL_HOOKS 1
#else
#define USERSHELL_HOOKS 0
#endif

// clang's runtime for coverage: how often each region has run.
// NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl*)
extern "C" {
[[gnu::weak]] std::uint64_t* __llvm_profile_begin_counters();
[[gnu::weak]] std::uint64_t* __llvm_profile_end_counters();
#if USERSHELL_HOOKS // as clang's sanitizer/allocator_interface.h, which GCC 12 does not have
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void*, std::size_t),
                                              void (*given_back)(const volatile void*));
std::size_t __sanitizer_get_allocated_size(const volatile void* block);
#endif
}
// NOLINTEND(bugprone-reserved-identifier, cert-dcl*)

namespace {

std::size_t held = 0;
std::size_t peak = 0;
std::size_t allocated = 0;

void note_taken(std::size_t size) {
    held += size;
    allocated += size;
    peak = std::max(peak, held);
}

void note_given_back(std::size_t size) { held -= std::min(held, size); }

#if USERSHELL_HOOKS
void on_malloc(const volatile void* /*block*/, std::size_t size) { note_taken(size); }
void on_free(const volatile void* block) {
    if (block != nullptr) note_given_back(__sanitizer_get_allocated_size(block));
}
const bool hooked = __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) != 0;
#endif

std::uint64_t steps() {
    if (__llvm_profile_begin_counters == nullptr) return 0;
    return std::accumulate(__llvm_profile_begin_counters(), __llvm_profile_end_counters(),
                           std::uint64_t{0});
}

} // namespace

#if !USERSHELL_HOOKS
void* operator new(std::size_t size) {
    void* const block = std::malloc(size == 0 ? 1 : size);
    if (block == nullptr) throw std::bad_alloc{};
    note_taken(::malloc_usable_size(block));
    return block;
}

void operator delete(void* block) noexcept {
    if (block != nullptr) note_given_back(::malloc_usable_size(block));
    std::free(block);
}

void operator delete(void* block, std::size_t /*size*/) noexcept { operator delete(block); }
#endif

namespace usershell::fuzz {

Cost cost_of(const std::function<void()>& run) {
    const auto steps_before = steps();
    const auto held_before = held;
    allocated = 0;
    peak = held;
    run();
    return {peak - held_before, allocated, steps() - steps_before};
}

} // namespace usershell::fuzz
