// Reading JSON as providers write it, by Boost.JSON: what is not UTF-8 is let through (TokenJoiner
// and printable() see to it), and half a surrogate pair, which Boost.JSON refuses, is handed on as
// the three bytes it would have in UTF-8. Depth is bounded by Boost.JSON's 32, size by the memory
// given.
#pragma once

#include "runtime/call_memory.hpp"

#include <boost/json/memory_resource.hpp>
#include <boost/json/value.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace usershell::adapters {

namespace json = boost::json;

/// Memory for one document, and no more than that: a few bytes of JSON can become many of tree
/// ("[0,0,…" two to twenty-four), so a bound on the text alone is none on the memory. Small
/// documents fit into the object itself, so that a token's event allocates nothing. One thread;
/// outlives the values made with it.
class JsonMemory final : public json::memory_resource {
public:
    /// Thrown through Boost.JSON when a document is too large, for example for its memory.
    struct Exceeded : std::bad_alloc {};

    /// `max_size`: bytes that the document may have; it may take four times as many.
    explicit JsonMemory(std::size_t max_size) : left_{4 * max_size} {}
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

struct ParsedJson {
    std::optional<json::value> value; ///< null when the text is no JSON
    bool too_large = false;           ///< it needs more than the memory had, or has an object with
                                      ///< more than rules::max_json_members
};

/// All that it takes comes from `memory`, which outlives the value.
ParsedJson parse_json(std::string_view text, const json::storage_ptr& memory);

/// Appends the JSON with "" in place of each string that is a file (base64, say) and no text:
/// longer than 64 KiB, without a blank and in ASCII. False when there is no memory.
bool append_without_files(std::string& to, std::string_view text, CallMemory::Part& memory);

/// The value at an RFC 6901 pointer ("/choices/0/delta"), or nullptr.
const json::value* find_value(const json::value& value, std::string_view pointer);

/// The string there; empty when there is none. A view into `value`.
std::string_view text_at(const json::value& value, std::string_view pointer);

/// The first of them that is not empty.
std::string_view first_text(const json::value& value, std::span<const std::string_view> pointers);

/// The array there, or nullptr.
const json::array* array_at(const json::value& value, std::string_view pointer);

/// The whole number there, if it is one and not negative; at most max_json_count of numbers.hpp.
std::optional<std::uint64_t> count_at(const json::value& value, std::string_view pointer);

/// True for `true` only.
bool true_at(const json::value& value, std::string_view pointer);

} // namespace usershell::adapters
