#include "base/password_rule.hpp"

#include "base/rules.hpp"
#include "base/text.hpp"

namespace usershell {

std::string new_password_error(std::string_view password) {
    if (!is_utf8(password)) return "A password is text.";
    if (count_code_points(password) < rules::min_password_characters)
        return "A password has at least " + grouped(rules::min_password_characters) +
               " characters.";
    if (password.size() > rules::max_password_bytes)
        return "A password has at most " + grouped(rules::max_password_bytes) + " bytes.";
    return {};
}

} // namespace usershell
