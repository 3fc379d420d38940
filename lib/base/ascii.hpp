// Bytes as protocols and files write them: letters of ASCII, hexadecimal digits, whole numbers,
// blanks, lists. Text that people write is in base/text.hpp. Pure; any thread may call.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace usershell {

/// Visible characters, from `first` on: from ' ' on, with spaces.
inline bool is_visible_ascii(std::string_view text, char first = '!') {
    return std::ranges::all_of(text, [first](char c) { return c >= first && c < '\x7f'; });
}

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A letter or digit of ASCII.
constexpr bool is_alphanumeric(char c) { return is_digit(c) || is_letter(c); }

/// Characters that a URL never needs to escape (RFC 3986, 2.3).
constexpr bool is_unreserved(char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

/// "shell.example.org:8443" of an origin; what has no scheme is itself.
std::string_view host_of(std::string_view origin);
/// The same without the port.
std::string_view host_name_of(std::string_view origin);

/// Without leading and trailing spaces, tabs, CR and LF.
std::string_view trim_blanks(std::string_view text);

/// Its letters in lower case; bytes beyond ASCII stay.
std::string lower_ascii(std::string_view text);
/// All but that sign.
std::string without(std::string_view text, char sign);
/// The texts between the tags of a document in XML, with a blank before each.
std::string without_tags(std::string_view markup);
/// Its letters in upper case.
std::string upper_ascii(std::string_view text);

/// Two lower-case digits a byte.
std::string hex(std::string_view bytes);

/// RFC 4648, section 6, in lower case and without padding: of whole groups of five bytes.
std::string base32(std::string_view bytes);

/// Two upper-case digits: as percent-encoding has them.
std::string upper_hex(char byte);

/// Everything but what is_unreserved() percent-encoded, so that it fits a path segment or a query's
/// value.
std::string percent_encoded(std::string_view text);

/// The byte of the first two hexadecimal digits, in either case. Null when they are no digits.
std::optional<char> byte_of_hex(std::string_view text);

/// The number of the first `digits` hexadecimal digits. Null when they are no digits.
std::optional<unsigned> hex_number(std::string_view text, std::size_t digits);

/// The number that the whole text is, in decimal: without blanks or a plus sign, and within the
/// bounds of its type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
    Number number{};
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc{} || rest != end) return std::nullopt;
    return number;
}

/// Calls `visit` with each piece of `text` between separators, empty ones too.
template <class Visit>
void for_each_piece(std::string_view text, char separator, Visit visit) {
    for (;;) {
        const std::size_t end = std::min(text.find(separator), text.size());
        visit(text.substr(0, end));
        if (end == text.size()) return;
        text.remove_prefix(end + 1);
    }
}

} // namespace usershell
