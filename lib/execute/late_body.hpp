// Reads the body of a request as it arrives, into memory that is reserved for its user first.
#pragma once

#include "base/error.hpp"
#include "base/text.hpp"
#include "execute/relay/user_shares.hpp"
#include "web/message.hpp"

#include <cstddef>
#include <string_view>

namespace usershell::execute {

struct LateBodyLimits {
    std::size_t announced; ///< bytes; 0: not known
    std::size_t max_bytes;
    std::size_t copies = 1; ///< the memory that a byte takes until the answer is complete
};

/// Begins on any thread, ends on the loop. `body`: an empty std::string or WipedString. Throws
/// Refusal for a body that is too large, has no memory, or was cut short.
template <class Text>
Task<> read_late_body(web::Stream& stream, Text& body, UserShares::Share& memory,
                      LateBodyLimits limits) {
    const auto too_large = [&] {
        return Refusal{
            ErrorCode::body_too_large,
            {"The request is larger than {size}."_en, {{"size", readable_size(limits.max_bytes)}}}};
    };
    if (limits.announced > limits.max_bytes) throw too_large();
    if (!memory.grow_to(limits.announced * limits.copies)) throw service_is_busy();
    body.reserve(limits.announced);
    bool has_memory = true;
    const auto end = co_await stream.read_body([&](std::string_view piece) {
        const std::size_t size = body.size() + piece.size();
        if (size > limits.max_bytes) return false;
        has_memory = memory.grow_to(size * limits.copies);
        if (has_memory) body.append(piece);
        return has_memory;
    });
    if (!has_memory) throw service_is_busy();
    if (end == web::BodyEnd::stopped) throw too_large();
    if (end != web::BodyEnd::complete || (limits.announced > 0 && body.size() != limits.announced))
        throw Refusal{ErrorCode::malformed_json, "The request body was cut short."_en};
}

} // namespace usershell::execute
