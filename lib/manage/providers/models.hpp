// Models of the caller's providers: add, switch, capabilities, remove.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response add_model(Services& services, app::RequestContext& context);
web::Response set_model_enabled(Services& services, app::RequestContext& context);
web::Response set_model_capabilities(Services& services, app::RequestContext& context);
web::Response delete_model(Services& services, app::RequestContext& context);

} // namespace usershell::manage
