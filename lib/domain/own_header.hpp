// Headers that a person gives a provider, to be sent with each of its calls.
#pragma once

#include <string_view>

namespace usershell {

/// May a header of that name be sent? `name`: in lower case. It has letters, digits and hyphens, a
/// letter first, and is none of rules::words::refused_headers; other signs of a token become a
/// hyphen at some servers ("X_API_KEY"). `with_cookies`: the operator permits "cookie".
bool is_own_header(std::string_view name, bool with_cookies);

} // namespace usershell
