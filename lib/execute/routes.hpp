// The executing wing's route table.
#pragma once

#include "app/route.hpp"
#include "execute/execute.hpp"

namespace usershell {

/// `wing` outlives the routes.
Routes execute_routes(Execute& wing);

} // namespace usershell
