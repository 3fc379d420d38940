// The managing wing's route table.
#pragma once

#include "app/route.hpp"
#include "manage/manage.hpp"

namespace usershell {

/// `manage` outlives the routes.
Routes manage_routes(Manage& manage);

} // namespace usershell
