// Shared by the commands about key rings.
#pragma once

#include "base/settings/config.hpp"
#include "store/database/database.hpp"

namespace usershell::ctl {

/// How many of the six files are in the folder of the setting `rings`.
std::size_t count_ring_files(const Settings& settings);
inline constexpr std::size_t ring_file_count = 6;

/// Makes the six files there and registers their keys, with `replace` in place of the keys that the
/// installation has. The folder is made when it is missing, readable by root only. Throws
/// Error.
void make_rings(const Settings& settings, store::Lease& lease, bool replace);

/// Throws Error when a file can't be used, two halves don't belong together, or the installation
/// does not know a key.
void require_whole_rings(const Settings& settings, store::Lease& lease);

} // namespace usershell::ctl
