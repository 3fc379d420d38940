// Connectivity tests of one provider, of one account's key, or of all active providers side by
// side.
#pragma once

#include "app/request_context.hpp"
#include "execute/calls/call.hpp"

namespace usershell::execute {

web::Response test_provider(Services& services, app::RequestContext& context,
                            std::shared_ptr<Call> call);
web::Response test_account(Services& services, app::RequestContext& context,
                           std::shared_ptr<Call> call);
web::Response test_batch(Services& services, app::RequestContext& context,
                         std::shared_ptr<Call> call);

} // namespace usershell::execute
