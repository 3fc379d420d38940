// Giving up privileges that a piece of work does not need, for the rest of this process's life.
#pragma once

#include <string>

namespace usershell::ctl {

/// From now on this process runs as that system user, can gain no privileges, and, unless
/// `with_network`, has no network but Unix sockets. Root does all of that; a process that is that
/// user already (started by a unit of systemd) must have no network then. Throws Error.
void confine(const std::string& user, bool with_network);

} // namespace usershell::ctl
