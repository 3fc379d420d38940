// The earlier flat vault: its entries become providers and accounts when this program starts.
#pragma once

#include "manage/services.hpp"

#include <string>

namespace usershell::manage {

/// Folds all entries there are, a transaction a user, and logs what did not fit. Several processes
/// may do so at a time; when one is killed, the next start does the rest. Throws no
/// exception: a fold that cannot run is logged, and stops no start.
void fold_legacy_vault(Services& services);

/// "Two older keys did not fit.", for a person's page; empty when none.
std::string older_keys_note(int count);

} // namespace usershell::manage
