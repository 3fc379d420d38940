// Does a provider answer? One provider, one account's key, or all active providers side by side.
#pragma once

#include "app/request_context.hpp"
#include "execute/services.hpp"

namespace usershell::execute {

web::Response test_provider(Services& services, app::RequestContext& context);
web::Response test_account(Services& services, app::RequestContext& context);
web::Response test_batch(Services& services, app::RequestContext& context);

} // namespace usershell::execute
