// Models of the caller's providers: add, switch, capabilities, remove.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response add_model(Manage& manage, Call& call);
Response set_model_enabled(Manage& manage, Call& call);
Response set_model_capabilities(Manage& manage, Call& call);
Response delete_model(Manage& manage, Call& call);

} // namespace usershell
