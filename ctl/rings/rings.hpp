// Shared by the commands about key rings.
#pragma once

#include "crypto/ring/ring.hpp"
#include "domain/settings/config.hpp"
#include "store/database/database.hpp"

#include <map>
#include <string_view>
#include <vector>

namespace usershell::ctl {

/// The rings that have no file in the folder of the setting `rings`. Throws Error when a ring has
/// one of its two files.
std::vector<crypto::RingRole> missing_rings(const Settings& settings);

/// Makes the files of all rings there and registers their keys, with `replace` in place of all keys
/// that the installation has. The folder is made when it is missing, open to all for reading.
/// Throws Error.
void make_rings(const Settings& settings, store::Lease& lease, bool replace);

/// The folder of the setting `rings`, open to all for reading. Throws Error.
void make_ring_folder(const Settings& settings);

/// Those of the files in the folder of the setting `rings`, by name ("vault"). Throws RingError.
std::map<std::string_view, crypto::RingSummary> rings_of_files(const Settings& settings);

/// Throws Error when a file can't be used, two halves don't belong together, or the installation
/// does not know a key.
void require_whole_rings(const Settings& settings, store::Lease& lease);

} // namespace usershell::ctl
