// Reads the body of a request as it arrives, into memory that is reserved for its user first. An
// announced body takes addresses alone.
#pragma once

#include "base/error.hpp"
#include "execute/calls/call_failure.hpp"
#include "runtime/call_memory.hpp"
#include "web/message.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace usershell::execute {

/// Of a body of the playground: the body, the values that it is read as, and the request to the
/// provider. Two of them at a time, and three while texts with escapes are read.
inline constexpr std::size_t copies_of_body = 3;

struct LateBodyLimits {
    std::size_t announced; ///< bytes; 0: not known
    std::size_t max_bytes;
    std::size_t copies = 1; ///< the memory that a byte takes until the answer is complete
};

/// Begins on any thread, ends on the loop. `Text`: std::string or WipedString. Throws Refusal for a
/// body that is too large, has no memory, or was cut short.
template <class Text>
Task<Text> read_late_body(web::Stream& stream, CallMemory& memory, CallMemory::Part& part,
                          LateBodyLimits limits) {
    if (limits.announced > limits.max_bytes) throw body_too_large(limits.max_bytes);
    Text body;
    std::size_t room = limits.announced;
    body.reserve(room);
    memory.arrives(true);
    const auto end = co_await stream.read_body([&](std::string_view piece) {
        const std::size_t size = body.size() + piece.size();
        if (size > limits.max_bytes) return false;
        const bool fits = size <= room;
        if (!fits) room = std::max(size, 2 * room);
        if (!part.grow_to((fits ? size : room) * limits.copies)) return false;
        if (!fits) body.reserve(room);
        body.append(piece);
        return true;
    });
    memory.arrives(false);
    if (memory.is_lost()) throw lost_memory();
    if (end == web::BodyEnd::stopped) throw body_too_large(limits.max_bytes);
    if (end != web::BodyEnd::complete || (limits.announced > 0 && body.size() != limits.announced))
        throw body_cut_short();
    co_return body;
}

} // namespace usershell::execute
