#include "crypto/secret_memory.hpp"

#include <mutex>
#include <new>
#include <vector>

#include <sanitizer/asan_interface.h> // whose macros do nothing without AddressSanitizer
#include <sodium.h>

namespace usershell::crypto {

namespace {

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

} // namespace

// The unused rest of a slot is poisoned, so that AddressSanitizer sees a read past a secret's end.
char* allocate_secret(std::size_t size) {
    const bool is_short = size <= slot_size;
    char* const bytes = is_short ? slots().take() : allocate_guarded(size);
    if (is_short) ASAN_UNPOISON_MEMORY_REGION(bytes, size);
    sodium_memzero(bytes, size);
    return bytes;
}

void free_secret(char* bytes, std::size_t size) noexcept {
    if (size > slot_size) return sodium_free(bytes);
    sodium_memzero(bytes, size);
    ASAN_POISON_MEMORY_REGION(bytes, slot_size);
    slots().give_back(bytes);
}

} // namespace usershell::crypto
