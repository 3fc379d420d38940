// The body of a request, for the dispatcher: how large it may be, of which media type, and its
// parts. Pure.
#pragma once

#include "pipeline/route.hpp"
#include "web/message.hpp"

#include <cstddef>
#include <exception>
#include <optional>
#include <string_view>

namespace usershell::pipeline {

std::size_t most_bytes_of(Body body);

/// Size and media type: 413 before 415, as Refusals. Of an awaited body, what was announced.
void check_body(const web::Request& request, Body body);

/// The anti-forgery token in a body. A parse error is thrown after the anti-forgery check, so that
/// a forged request learns nothing from it.
struct ReadBody {
    std::optional<std::string_view> token{}; ///< a part of the context's body
    std::exception_ptr malformed{};
};
/// Parses the body in the route's form, into the context.
ReadBody read_body(RequestContext& context, Body body);

} // namespace usershell::pipeline
