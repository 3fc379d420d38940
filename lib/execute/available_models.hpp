// The provider's own model list: GET …/models/available.
#pragma once

#include "app/request_context.hpp"
#include "execute/services.hpp"

namespace usershell::execute {

web::Response available_models(Services& services, app::RequestContext& context);

} // namespace usershell::execute
