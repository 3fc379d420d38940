#include "base/spelling.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

namespace usershell {

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
