// The executing program's route table.
#pragma once

#include "app/route.hpp"
#include "execute/services.hpp"

namespace usershell::execute {

/// `services` outlives the routes.
app::Routes execute_routes(Services& services);

} // namespace usershell::execute
