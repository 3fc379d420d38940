#include "crypto/secret.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include <sanitizer/asan_interface.h> // whose macros do nothing without AddressSanitizer
#include <sodium.h>
#include <sys/prctl.h>
#include <sys/resource.h>

namespace usershell::crypto {

namespace {

// Where the bytes of a Secret live: memory of libsodium's (sodium_malloc), between guard pages,
// locked, with a canary. A piece of its own costs seven system calls, eight KiB and four mappings,
// and every other thread of the process a flush of its address cache; so short secrets share such
// pieces, in slots.

constexpr std::size_t slot_size = 512; ///< a provider's key, and what is signed with it
constexpr std::size_t slots_a_piece = 64;

char* allocate_guarded(std::size_t size) {
    auto* const bytes = static_cast<char*>(sodium_malloc(size));
    if (bytes == nullptr) throw std::bad_alloc{};
    return bytes;
}

class Slots {
public:
    char* take() {
        const std::scoped_lock lock{mutex_};
        if (free_.empty()) add_piece();
        char* const slot = free_.back();
        free_.pop_back();
        return slot;
    }

    void give_back(char* slot) noexcept {
        const std::scoped_lock lock{mutex_};
        free_.push_back(slot); // there is room for all
    }

private:
    void add_piece() {
        free_.reserve(count_ + slots_a_piece);
        char* const piece = allocate_guarded(slots_a_piece * slot_size);
        count_ += slots_a_piece;
        for (std::size_t i = slots_a_piece; i > 0; --i)
            free_.push_back(piece + (i - 1) * slot_size);
        ASAN_POISON_MEMORY_REGION(piece, slots_a_piece * slot_size);
    }

    std::mutex mutex_;
    std::vector<char*> free_; ///< the one that was used last is taken first
    std::size_t count_ = 0;   ///< in all
};

/// Never destroyed: a Secret may live as long as the process.
Slots& slots() {
    static auto& all = *new Slots;
    return all;
}

/// `size` bytes, all zero; given back with the same size. The unused rest of a slot is poisoned, so
/// that AddressSanitizer sees a read past a secret's end.
char* allocate_secret(std::size_t size) {
    const bool is_short = size <= slot_size;
    char* const bytes = is_short ? slots().take() : allocate_guarded(size);
    if (is_short) ASAN_UNPOISON_MEMORY_REGION(bytes, size);
    sodium_memzero(bytes, size);
    return bytes;
}

/// Overwrites them. Slots stay with the process: there are as many as there were short secrets at a
/// time, at most, rounded up to a whole piece.
void free_secret(char* bytes, std::size_t size) noexcept {
    if (size > slot_size) return sodium_free(bytes);
    sodium_memzero(bytes, size);
    ASAN_POISON_MEMORY_REGION(bytes, slot_size);
    slots().give_back(bytes);
}

} // namespace

Secret::Secret(std::string_view plain) : Secret{of_size(plain.size())} {
    std::copy(plain.begin(), plain.end(), bytes_);
}

Secret Secret::of_size(std::size_t size) {
    Secret made;
    if (size == 0) return made;
    made.bytes_ = allocate_secret(size);
    made.size_ = size;
    return made;
}

Secret Secret::random(std::size_t size) {
    auto made = of_size(size);
    if (size > 0) randombytes_buf(made.bytes_, size);
    return made;
}

Secret Secret::take(std::string& plain) {
    Secret taken{plain};
    plain.resize(plain.capacity()); // the bytes behind the end may be of a longer text
    sodium_memzero(plain.data(), plain.size());
    plain.clear();
    return taken;
}

Secret::~Secret() {
    if (bytes_ != nullptr) free_secret(bytes_, size_);
}

Secret::Secret(Secret&& other) noexcept
    : bytes_{std::exchange(other.bytes_, nullptr)},
      size_{std::exchange(other.size_, 0)} {}

Secret& Secret::operator=(Secret&& other) noexcept {
    Secret old{std::move(other)};
    std::swap(bytes_, old.bytes_);
    std::swap(size_, old.size_);
    return *this;
}

std::span<unsigned char> Secret::writable() {
    return {reinterpret_cast<unsigned char*>(bytes_), size_};
}

void start_crypto() {
    if (sodium_init() < 0) throw Error{"libsodium can't start"};
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_CORE, &none) != 0) throw SystemError{"core dumps can't be switched off"};
#ifndef USERSHELL_SANITIZED
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw SystemError{"core dumps can't be switched off"};
#endif
}

} // namespace usershell::crypto
