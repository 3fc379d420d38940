// Ways out of what programs and PostgreSQL say when they can't go on.
#pragma once

#include <string>
#include <string_view>

namespace usershell::ctl {

/// The remedy for that sentence, or `otherwise`.
std::string remedy_for(std::string_view sentence, std::string otherwise);

} // namespace usershell::ctl
