// UTF-8 text, counted in code points, by libunistring. All functions are pure. They
// take any bytes; malformed UTF-8 counts as U+FFFD unless a function says otherwise.
#pragma once

#include "base/wiping.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace usershell {

/// Well-formed UTF-8 (RFC 3629: no surrogate, no overlong form)?
bool is_utf8(std::string_view text);

/// Code points in well-formed UTF-8.
std::size_t count_code_points(std::string_view text);

/// In Unicode's normalisation form C.
std::string nfc(std::string_view text);

/// Its full case fold, in form C: equal for texts that differ in case alone.
std::string case_folded(std::string_view text);

/// Without leading and trailing Unicode White_Space.
std::string trim(std::string_view text);
/// The same, as a part of `text`: for what must not be copied.
std::string_view trimmed(std::string_view text);

/// In decimal with commas between groups of three digits: "32,768".
std::string grouped(std::int64_t number);

/// A number of bytes for people, in whole MiB where it is that many, else in whole KiB: "256 KiB".
std::string readable_size(std::size_t bytes);

/// Any C0, DEL, C1 control (general category Cc), line/paragraph separator (Zl, Zp) or control of a
/// text's direction (Bidi_Control)? `allow_lines` lets tab, CR, LF, the two separators and those of
/// direction pass (a chat message).
bool has_control(std::string_view text, bool allow_lines = false);

/// Appends the first code point of `text` (not empty), case folded one to one as far as that goes:
/// "S", "s" and U+017F all become "s", "ß" stays. Returns the bytes of `text` that it takes.
std::size_t fold_first(std::string_view text, std::string& folded);

/// Is the first code point of `text` (not empty) a letter, or a mark on one?
bool begins_with_letter(std::string_view text);

/// The bytes of the first code point of `text` (not empty).
std::string_view first_code_point(std::string_view text);

/// Does NFKC turn this code point into a letter or digit of ASCII, in whole or in part? Full-width
/// letters and circled digits are such.
bool becomes_ascii(std::string_view code_point);

/// At most `limit` code points, with "…" as the last when something was cut. For upstream text in
/// errors.
std::string shorten(std::string_view text, std::size_t limit);

/// Replaces malformed UTF-8 by U+FFFD and control characters (as has_control() knows them) by
/// spaces: outside text made fit to show.
std::string printable(std::string_view bytes);

/// For a terminal: malformed UTF-8 becomes U+FFFD, and each control character (as has_control()
/// knows them) or character that is not seen becomes its escape as in JSON, such as "\u202e".
/// Joiners after a character beyond ASCII and variation selectors stay, for emoji and scripts need
/// them. JSON keeps its meaning; visible(visible(x)) == visible(x).
std::string visible(std::string_view bytes);

/// Up to two initials of a name: the first letters of its first and last word that begin with one
/// (after any punctuation), in title case. "?" when there is no letter or digit. Grapheme clusters
/// stay whole.
std::string initials(std::string_view name);

// Typed texts in one form: names and passwords. By libunistring; pure.

/// A name as it is stored: trimmed, without the marks of direction that keyboards put in (U+061C,
/// U+200E, U+200F). Empty when nothing of it can be seen: spaces, controls, default ignorable
/// characters, marks of annotations, the blanks of Braille and of music.
std::string tidy_name(std::string_view text);

/// A password in the form of RFC 8265, 4.2 (OpaqueString): other spaces become U+0020, then
/// normalisation form C. So one that is typed on another system is the same. Null when it is not
/// UTF-8, empty or has a control character. No copy stays in memory.
std::optional<WipedString> opaque_string(std::string_view password);

} // namespace usershell
