#include "domain/own_header.hpp"

#include "base/ascii.hpp"
#include "domain/rules.hpp"

#include <algorithm>

namespace usershell {
namespace {

bool is_in_form(std::string_view name) {
    const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
    return !name.empty() && name.size() <= rules::header_name.max && is_letter(name.front()) &&
           std::ranges::all_of(name,
                               [&](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
}

bool is_refused(std::string_view name) {
    return std::ranges::any_of(rules::words::refused_headers, [&](std::string_view refused) {
        return refused.ends_with('*') ? name.starts_with(refused.substr(0, refused.size() - 1))
                                      : name == refused;
    });
}

} // namespace

bool is_own_header(std::string_view name, bool with_cookies) {
    return is_in_form(name) && !is_refused(name) && (with_cookies || name != "cookie");
}

} // namespace usershell
