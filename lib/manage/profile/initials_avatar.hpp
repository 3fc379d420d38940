// The picture of someone who has saved none: their initials on a colour of their own, as SVG. Pure.
#pragma once

#include <string>

namespace usershell::manage {

/// `stable_id` (the user's id) chooses the colour; every colour has a contrast of at least 4.5 : 1
/// to the white letters (WCAG 2.2, 1.4.3).
std::string initials_svg(const std::string& display_name, const std::string& stable_id);

} // namespace usershell::manage
