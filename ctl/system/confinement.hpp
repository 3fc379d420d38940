// Giving up what a piece of work does not need, for the rest of this process's life.
#pragma once

#include <string>

namespace usershell::ctl {

/// From now on this process is that user of the system, can gain no rights, and, unless
/// `with_network`, has no network but Unix sockets. For root, who alone can bring that about, or
/// for that user where a unit of systemd has done so. Throws Error.
void confine(const std::string& user, bool with_network);

} // namespace usershell::ctl
