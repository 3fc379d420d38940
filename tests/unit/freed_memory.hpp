// Looks for secrets in this process's memory. The source replaces operator delete by one that looks
// for a marked text. For one test at a time. A test with USERSHELL_LOOKS_INTO_C, linked with
// --wrap=malloc,--wrap=free, looks into static C libraries too.
#pragma once
#include "runtime/descriptor.hpp"
#include "tests/unit/test.hpp"
#include <cstring>
#include <random>
namespace usershell::test {
/// Counts the blocks freed in its life that hold `marker`, which must outlive it.
struct FreedMemory : boost::noncopyable {
    explicit FreedMemory(std::string_view marker);
    ~FreedMemory();
    int blocks_with_marker() const;
};
/// A secret that is masked in memory, so that any plain bytes of it are a copy.
struct HiddenSecret {
    HiddenSecret() {
        std::random_device random;
        for (char& c : masked_) c = static_cast<char>(('a' + random() % 26) ^ mask);
    }
    std::size_t size() const { return masked_.size(); }
    char at(std::size_t i) const { return static_cast<char>(masked_[i] ^ mask); }
    /// True when `bytes` contains the end of the secret. Its beginning does not count: an
    /// allocator writes over that of what is freed.
    bool stands_in(std::string_view bytes) const {
        const std::string_view end = std::string_view{masked_}.substr(masked_.size() - 16);
        return std::search(bytes.begin(), bytes.end(), end.begin(), end.end(),
                           [](char byte, char masked) { return (byte ^ mask) == masked; }) !=
               bytes.end();
    }
    static constexpr char mask = 0x15;
    std::string masked_ = std::string(60, ' ');
};
/// Searches this process's writable memory for the secret. Returns the mapping's line of
/// /proc/self/maps; empty when not found. The mapping that `stack` points into is left out.
inline std::string place_in_memory(const HiddenSecret& secret, const void* stack = nullptr) {
    std::ifstream maps{"/proc/self/maps"};
    const Descriptor memory{::open("/proc/self/mem", O_RDONLY | O_CLOEXEC)};
    std::string found;
    std::vector<char> piece(1U << 20U);
    for (std::string line; std::getline(maps, line);) {
        std::size_t from = 0;
        std::size_t to = 0;
        char dash = 0;
        std::istringstream{line} >> std::hex >> from >> dash >> to;
        const auto on_stack = reinterpret_cast<std::size_t>(stack);
        if (line.find(" rw") == std::string::npos || to - from > (1UL << 30U) ||
            (from <= on_stack && on_stack < to))
            continue;
        while (from < to) {
            const ssize_t got =
                ::pread(memory.get(), piece.data(), std::min(piece.size(), to - from),
                        static_cast<off_t>(from));
            if (got <= 0) break;
            if (secret.stands_in({piece.data(), static_cast<std::size_t>(got)})) found = line;
            from += static_cast<std::size_t>(got);
        }
    }
    explicit_bzero(piece.data(), piece.size()); // or the next search would find what this one read
    return found;
}
} // namespace usershell::test
