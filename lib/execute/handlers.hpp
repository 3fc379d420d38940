// The handlers of usershell-execute, and its route table.
#pragma once

#include "execute/calls/call.hpp"
#include "pipeline/route.hpp"

#include <memory>

namespace usershell::execute {

/// POST /user/providers/playground: talks through a provider, streamed or not.
web::Response playground(Services& services, pipeline::RequestContext& context,
                         std::shared_ptr<Call> call);

/// The same request with a large body, which is still to come: reads it, and serves the whole.
web::Response late_request(Services& services, pipeline::RequestContext& context,
                           std::shared_ptr<Call> call);

/// Connectivity tests of one provider, of one account's key, of all active providers side by side.
web::Response test_provider(Services& services, pipeline::RequestContext& context,
                            std::shared_ptr<Call> call);
web::Response test_account(Services& services, pipeline::RequestContext& context,
                           std::shared_ptr<Call> call);
web::Response test_batch(Services& services, pipeline::RequestContext& context,
                         std::shared_ptr<Call> call);

/// GET …/models/available: the provider's own model list.
web::Response available_models(Services& services, pipeline::RequestContext& context,
                               std::shared_ptr<Call> call);

/// `services` outlives the routes.
pipeline::Routes execute_routes(Services& services);

} // namespace usershell::execute
