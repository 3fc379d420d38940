// Memory for one JSON document, and no more than that: a few bytes of JSON can become many of tree
// ("[0,0,…" two to twenty-four), so a bound on the text alone is none on the memory. Small
// documents fit into the object itself, so that a token's event allocates nothing. One thread;
// outlives the values made with it.
#pragma once

#include <boost/json/memory_resource.hpp>

#include <array>
#include <cstddef>
#include <new>

namespace usershell::adapters {

class JsonMemory final : public boost::json::memory_resource {
public:
    /// Thrown through Boost.JSON when a document is too large, for example for `limit`.
    struct Exceeded : std::bad_alloc {};

    explicit JsonMemory(std::size_t limit) : left_{limit} {}
    JsonMemory(const JsonMemory&) = delete;
    JsonMemory& operator=(const JsonMemory&) = delete;

private:
    void* do_allocate(std::size_t size, std::size_t alignment) override;
    void do_deallocate(void* bytes, std::size_t size, std::size_t alignment) override;
    bool do_is_equal(const memory_resource& other) const noexcept override {
        return this == &other;
    }

    std::size_t left_;     ///< of the limit
    std::size_t used_ = 0; ///< of `room_`; never given back
    alignas(std::max_align_t) std::array<std::byte, 4096> room_;
};

} // namespace usershell::adapters
