// Talking through a provider: /user/providers/playground, streamed or not.
#pragma once

#include "app/request_context.hpp"
#include "execute/calls/call.hpp"

namespace usershell::execute {

web::Response playground(Services& services, app::RequestContext& context,
                         std::shared_ptr<Call> call);

} // namespace usershell::execute
