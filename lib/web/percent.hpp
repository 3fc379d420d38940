// The encoding of queries and URL-encoded forms (WHATWG URL, "application/x-www-form-urlencoded"),
// read strictly. Pure; any thread may call it.
#pragma once

#include "base/wiping.hpp"

#include <optional>
#include <string_view>

namespace usershell::web {

/// '+' is a space, %XX a byte. Nothing for a broken escape, for bytes that are no UTF-8 and for
/// control characters other than tab, CR and LF (NUL above all).
std::optional<WipedString> decode_form_text(std::string_view encoded);

/// A C0 control character other than tab, CR and LF in it?
bool has_c0_control(std::string_view text);

/// Well-formed UTF-8 without a C0 control character other than tab, CR and LF?
bool is_form_text(std::string_view text);

} // namespace usershell::web
