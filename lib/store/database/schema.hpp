// Whether the store's schema is this program's. Inside lib/store only.
#pragma once

#include "store/database/database.hpp"

namespace usershell::store {

/// Throws Error with one sentence saying what to run when it is older, too new for
/// this program (migrate.hpp), or can't be reached.
void check_schema(Lease& lease);

} // namespace usershell::store
