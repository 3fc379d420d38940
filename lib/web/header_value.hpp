// Headers that have a value of several parts: Content-Type, Content-Disposition, Accept. Pure; any
// thread may call.
#pragma once

#include "base/wiping.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::web {

/// `main; name=token; name="quoted"`, as RFC 9110 (5.6.6) and RFC 2183 write it.
struct HeaderValue {
    std::string main;                              ///< lower case
    std::map<std::string, std::string> parameters; ///< lower-case names, unquoted values

    std::optional<std::string> parameter(const std::string& name) const;
};

/// Nothing for what is not of that form; a parameter twice is not.
std::optional<HeaderValue> parse_header_value(std::string_view text);

/// The part before the first ';', in lower case: a media type without its parameters.
std::string main_value(std::string_view text);

/// A character of a token (RFC 9110, 5.6.2): of a header's name, for instance.
bool is_token_character(char c);

// The encoding of queries and URL-encoded forms (WHATWG URL, "application/x-www-form-urlencoded"),
// read strictly. Pure; any thread may call it.

/// '+' is a space, %XX a byte. Nothing for a broken escape, for bytes that are no UTF-8 and for
/// control characters other than tab, CR and LF (NUL above all).
std::optional<WipedString> decode_form_text(std::string_view encoded);

/// A C0 control character other than tab, CR and LF in it?
bool has_c0_control(std::string_view text);

/// Well-formed UTF-8 without a C0 control character other than tab, CR and LF?
bool is_form_text(std::string_view text);

} // namespace usershell::web
