#include "base/text.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include <unicase.h>
#include <unictype.h>
#include <unigbrk.h>
#include <uninorm.h>
#include <unistr.h>

namespace usershell {

namespace {

const std::uint8_t* units(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

/// One code point of a text: its value (U+FFFD for a malformed sequence) and its bytes.
struct CodePoint {
    ucs4_t value;
    std::string_view bytes;
};

/// Calls `visit(CodePoint)` for each code point in order, until it returns false.
template <class Visit>
void each_code_point(std::string_view text, Visit&& visit) {
    while (!text.empty()) {
        ucs4_t value = 0;
        const auto size = static_cast<std::size_t>(u8_mbtouc(&value, units(text), text.size()));
        if (!visit(CodePoint{value, text.substr(0, size)})) return;
        text.remove_prefix(size);
    }
}

bool is_separator(ucs4_t c) {
    return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Zl | UC_CATEGORY_MASK_Zp);
}

bool is_control(ucs4_t c) {
    return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Cc) || is_separator(c) ||
           uc_is_property_bidi_control(c);
}

bool is_joiner(ucs4_t c) { return c == 0x200c || c == 0x200d; }

/// Invisible, or a command to the program that shows it. A joiner shapes the character before it,
/// such as an emoji or a Persian letter; in ASCII it would only make two words look the same.
bool is_unseen(ucs4_t c, ucs4_t before) {
    if (is_joiner(c)) return before < 0x80;
    return is_control(c) || uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Cf) ||
           (uc_is_property_default_ignorable_code_point(c) &&
            !uc_is_property_variation_selector(c));
}

/// As JSON writes it: in UTF-16, with four digits a unit.
std::string escape_of(std::string_view code_point) {
    std::array<std::uint16_t, 2> pair{};
    std::size_t count = pair.size();
    u8_to_u16(units(code_point), code_point.size(), pair.data(), &count);
    std::string text;
    for (std::size_t at = 0; at < count; ++at) {
        const std::array<char, 2> bytes{static_cast<char>(pair.at(at) >> 8U),
                                        static_cast<char>(pair.at(at) & 0xffU)};
        text += "\\u" + hex({bytes.data(), bytes.size()});
    }
    return text;
}

bool is_letter_or_digit(ucs4_t c) {
    return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_N);
}

/// The result of a libunistring function that allocates, as a string.
std::string take(std::uint8_t* allocated, std::size_t size) {
    const std::unique_ptr<std::uint8_t, decltype(&std::free)> owner{allocated, &std::free};
    if (!allocated) return {};
    return {reinterpret_cast<const char*>(allocated), size};
}

std::string normal(std::string_view text, uninorm_t form) {
    std::size_t size = 0;
    auto* const bytes = u8_normalize(form, units(text), text.size(), nullptr, &size);
    return take(bytes, size);
}

std::string title_case(std::string_view text) {
    std::size_t size = 0;
    auto* title = u8_totitle(units(text), text.size(), nullptr, UNINORM_NFC, nullptr, &size);
    return take(title, size);
}

/// The first grapheme cluster of `word` that begins with a letter or digit; empty if none does.
std::string_view first_letter(std::string_view word) {
    while (!word.empty()) {
        const auto* end = u8_grapheme_next(units(word), units(word) + word.size());
        const auto cluster = word.substr(0, static_cast<std::size_t>(end - units(word)));
        ucs4_t first = 0;
        u8_mbtouc(&first, units(cluster), cluster.size());
        if (is_letter_or_digit(first)) return cluster;
        word.remove_prefix(cluster.size());
    }
    return {};
}

std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> words;
    bool between = true;
    each_code_point(text, [&](const CodePoint& c) {
        const bool space = uc_is_property_white_space(c.value);
        if (!space && between)
            words.push_back(c.bytes);
        else if (!space)
            words.back() = {words.back().data(), words.back().size() + c.bytes.size()};
        between = space;
        return true;
    });
    return words;
}

} // namespace

bool is_utf8(std::string_view text) { return u8_check(units(text), text.size()) == nullptr; }

std::size_t count_code_points(std::string_view text) {
    return u8_mbsnlen(units(text), text.size());
}

std::string nfc(std::string_view text) { return normal(text, UNINORM_NFC); }

std::string case_folded(std::string_view text) {
    std::size_t size = 0;
    auto* fold = u8_casefold(units(text), text.size(), nullptr, UNINORM_NFC, nullptr, &size);
    return take(fold, size);
}

std::string trim(std::string_view text) { return std::string{trimmed(text)}; }

std::string_view trimmed(std::string_view text) {
    std::string_view rest;
    each_code_point(text, [&](const CodePoint& c) {
        if (uc_is_property_white_space(c.value)) return true;
        const char* const first = rest.empty() ? c.bytes.data() : rest.data();
        rest = {first, c.bytes.data() + c.bytes.size()};
        return true;
    });
    return rest;
}

std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    const std::size_t first = number < 0 ? 1 : 0;
    for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
    return text;
}

std::string readable_size(std::size_t bytes) {
    constexpr std::size_t kib = 1024;
    constexpr std::size_t mib = kib * kib;
    const bool in_mib = bytes >= mib && bytes % mib == 0;
    const std::size_t count = bytes / (in_mib ? mib : kib);
    return grouped(static_cast<std::int64_t>(count)) + (in_mib ? " MiB" : " KiB");
}

bool has_control(std::string_view text, bool allow_lines) {
    bool found = false;
    each_code_point(text, [&](const CodePoint& c) {
        const bool line = c.value == '\t' || c.value == '\r' || c.value == '\n' ||
                          is_separator(c.value) || uc_is_property_bidi_control(c.value);
        found = is_control(c.value) && !(allow_lines && line);
        return !found;
    });
    return found;
}

std::size_t fold_first(std::string_view text, std::string& folded) {
    if (static_cast<unsigned char>(text.front()) < 0x80) {
        folded += lower_ascii(text.substr(0, 1));
        return 1;
    }
    ucs4_t value = 0;
    const auto size = u8_mbtouc(&value, units(text), text.size());
    std::array<std::uint8_t, 6> bytes{};
    // By way of the capital, as several small letters may share one.
    const auto written = u8_uctomb(bytes.data(), uc_tolower(uc_toupper(value)), bytes.size());
    folded.append(bytes.begin(), bytes.begin() + written);
    return static_cast<std::size_t>(size);
}

bool begins_with_letter(std::string_view text) {
    ucs4_t value = 0;
    u8_mbtouc(&value, units(text), text.size());
    return uc_is_general_category_withtable(value, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M);
}

std::string_view first_code_point(std::string_view text) {
    ucs4_t value = 0;
    return text.substr(0, static_cast<std::size_t>(u8_mbtouc(&value, units(text), text.size())));
}

bool becomes_ascii(std::string_view code_point) {
    return std::ranges::any_of(normal(code_point, UNINORM_NFKC), is_alphanumeric);
}

std::string shorten(std::string_view text, std::size_t limit) {
    if (limit == 0) return {};
    std::string kept; // all but the last that fits, which gives way to "…" when more follows
    std::string_view last;
    std::size_t seen = 0;
    each_code_point(text, [&](const CodePoint& c) {
        if (++seen > limit) return false;
        kept += last;
        last = c.bytes;
        return true;
    });
    kept += seen > limit ? "…" : last;
    return kept;
}

std::string printable(std::string_view bytes) {
    std::string shown;
    shown.reserve(bytes.size());
    each_code_point(bytes, [&](const CodePoint& c) {
        if (is_control(c.value))
            shown += ' ';
        else if (c.value == 0xfffd)
            shown += "\xef\xbf\xbd";
        else
            shown += c.bytes;
        return true;
    });
    return shown;
}

std::string visible(std::string_view bytes) {
    std::string shown;
    shown.reserve(bytes.size());
    ucs4_t before = 0;
    each_code_point(bytes, [&](const CodePoint& c) {
        if (c.value == 0xfffd)
            shown += "\xef\xbf\xbd";
        else if (is_unseen(c.value, before))
            shown += escape_of(c.bytes);
        else
            shown += c.bytes;
        before = c.value;
        return true;
    });
    return shown;
}

std::string initials(std::string_view name) {
    std::vector<std::string_view> letters;
    for (const auto word : words_of(name))
        if (const auto letter = first_letter(word); !letter.empty()) letters.push_back(letter);
    if (letters.empty()) return "?";
    std::string both = title_case(letters.front());
    if (letters.size() > 1) both += title_case(letters.back());
    return both;
}

namespace {

const std::uint8_t* bytes_in(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

/// Calls `visit` with the value and the bytes of each code point; malformed ones are U+FFFD.
template <class Visit>
void each_letter(std::string_view text, Visit visit) {
    while (!text.empty()) {
        ucs4_t value = 0;
        const auto size = static_cast<std::size_t>(u8_mbtouc(&value, bytes_in(text), text.size()));
        visit(value, text.substr(0, size));
        text.remove_prefix(size);
    }
}

bool is_seen(ucs4_t c) {
    constexpr ucs4_t braille_blank = 0x2800;
    constexpr ucs4_t null_notehead = 0x1d159;
    const bool is_annotation = c >= 0xfff9 && c <= 0xfffb;
    return c != braille_blank && c != null_notehead && !is_annotation &&
           !uc_is_property_white_space(c) && !uc_is_property_default_ignorable_code_point(c) &&
           !uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Cc | UC_CATEGORY_MASK_Z);
}

/// They name no direction for the text around them, unlike the other controls.
bool is_mark_of_direction(ucs4_t c) { return c == 0x061c || c == 0x200e || c == 0x200f; }

bool is_other_space(ucs4_t c) {
    return c > 0x7f && uc_is_general_category_withtable(c, UC_CATEGORY_MASK_Zs);
}

/// In form C, into memory of ours: no form has more than three bytes for one (Unicode annex 15).
WipedString composed(const WipedString& text) {
    constexpr std::size_t most = 3;
    WipedString form;
    form.resize(text.size() * most);
    std::size_t size = form.size();
    auto* const buffer = reinterpret_cast<std::uint8_t*>(form.data());
    auto* const written = u8_normalize(UNINORM_NFC, bytes_in(text), text.size(), buffer, &size);
    if (written == nullptr) throw std::bad_alloc{};
    if (written == buffer) {
        form.resize(size);
        return form;
    }
    WipedString copy{{reinterpret_cast<const char*>(written), size}};
    std::fill_n(static_cast<volatile std::uint8_t*>(written), size, std::uint8_t{0});
    std::free(written); // NOLINT(*-no-malloc): libunistring's
    return copy;
}

} // namespace

std::string tidy_name(std::string_view text) {
    std::string kept;
    bool seen = false;
    each_letter(text, [&](ucs4_t value, std::string_view bytes) {
        if (is_mark_of_direction(value)) return;
        kept += bytes;
        seen = seen || is_seen(value);
    });
    return seen ? trim(kept) : std::string{};
}

std::optional<WipedString> opaque_string(std::string_view password) {
    if (password.empty() || !is_utf8(password)) return std::nullopt;
    WipedString spaced;
    spaced.reserve(password.size());
    bool has_controls = false;
    each_letter(password, [&](ucs4_t value, std::string_view bytes) {
        has_controls = has_controls || uc_is_general_category_withtable(value, UC_CATEGORY_MASK_Cc);
        spaced.append(is_other_space(value) ? " " : bytes);
    });
    if (has_controls) return std::nullopt;
    return composed(spaced);
}

} // namespace usershell
