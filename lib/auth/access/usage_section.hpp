// The bars of the access page.
#pragma once

#include "auth/access/usage.hpp"
#include "web/pages.hpp"

namespace usershell::auth {

/// The sections USAGE, or NO_USAGE. A bar's place and height are numbers of a drawing that is
/// `days_shown` * 4 wide and 24 high. All bars of a group have one scale.
void show_usage(web::PageData& data, const UsageBars& bars);

} // namespace usershell::auth
