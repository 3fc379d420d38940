// The managing program's route table.
#pragma once

#include "app/route.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

/// `services` outlives the routes.
app::Routes manage_routes(Services& services);

} // namespace usershell::manage
