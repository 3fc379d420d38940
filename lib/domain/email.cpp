#include "domain/email.hpp"

#include "base/ascii.hpp"
#include "base/text.hpp"
#include "domain/address/url.hpp"
#include "domain/rules.hpp"

#include <cstddef>
#include <cstdint>

#include <unictype.h>
#include <unistr.h>

namespace usershell {
namespace {

constexpr std::size_t max_local_part = 64; // RFC 5321 4.5.3.1.1

/// RFC 5321 atext, with RFC 6531's non-ASCII narrowed to what words are made of.
bool is_atom_character(ucs4_t c) {
    constexpr std::string_view marks = "!#$%&'*+-/=?^_`{|}~";
    if (c > 0x7f)
        return uc_is_general_category_withtable(c, UC_CATEGORY_MASK_L | UC_CATEGORY_MASK_M |
                                                       UC_CATEGORY_MASK_N);
    const auto ascii = static_cast<char>(c);
    return is_alphanumeric(ascii) || marks.find(ascii) != std::string_view::npos;
}

bool is_dot_string(std::string_view text) {
    bool after_dot = true; // so that a dot can't come first
    while (!text.empty()) {
        ucs4_t c = 0;
        const auto* units = reinterpret_cast<const std::uint8_t*>(text.data());
        text.remove_prefix(static_cast<std::size_t>(u8_mbtouc(&c, units, text.size())));
        if (c == '.' ? after_dot : !is_atom_character(c)) return false;
        after_dot = c == '.';
    }
    return !after_dot;
}

} // namespace

std::optional<EmailAddress> parse_email(std::string_view text) {
    if (!is_utf8(text)) return std::nullopt;
    const std::string shown = nfc(trim(text));
    const auto at = shown.find('@');
    if (shown.size() > rules::email.max || at == std::string::npos) return std::nullopt;

    const std::string local = shown.substr(0, at);
    const auto domain = ascii_domain(std::string_view{shown}.substr(at + 1));
    if (local.size() > max_local_part || !is_dot_string(local)) return std::nullopt;
    if (!domain || domain->find('.') == std::string::npos || ends_in_number(*domain))
        return std::nullopt;

    EmailAddress address{shown, case_folded(local) + "@" + *domain, local + "@" + *domain};
    if (address.deliverable.size() > rules::email.max) return std::nullopt;
    return address;
}

} // namespace usershell
