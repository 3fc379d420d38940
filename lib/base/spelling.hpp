// What people type, in one form: names and passwords. By libunistring; pure.
#pragma once

#include "base/wiping.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell {

/// A name as it is stored: trimmed, without the marks of direction that keyboards put in (U+061C,
/// U+200E, U+200F). Empty when nothing of it can be seen: spaces, controls, default ignorable
/// characters, marks of annotations, the blanks of Braille and of music.
std::string tidy_name(std::string_view text);

/// A password in the form of RFC 8265, 4.2 (OpaqueString): other spaces become U+0020, then
/// normalisation form C. So one that is typed on another system is the same. Null when it is not
/// UTF-8, empty or has a control character. No copy stays in memory.
std::optional<WipedString> opaque_string(std::string_view password);

} // namespace usershell
