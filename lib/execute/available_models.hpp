// The provider's own model list: GET …/models/available.
#pragma once

#include "app/request_context.hpp"
#include "execute/calls/call.hpp"

namespace usershell::execute {

web::Response available_models(Services& services, app::RequestContext& context,
                               std::shared_ptr<Call> call);

} // namespace usershell::execute
