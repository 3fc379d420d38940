// The handlers of usershell-execute, and its route table.
#pragma once

#include "execute/services.hpp"
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

/// GET /v1/models and /v1/models/{id}: what the access token may use now, by the database alone.
web::Response tool_models(Services& services, pipeline::RequestContext& context);
web::Response tool_model(Services& services, pipeline::RequestContext& context);

/// The routes below /v1: a person's tools call through the stored keys, by an access token. Empty
/// unless the operator has turned them on. `services` outlives the routes.
pipeline::Routes tool_routes(Services& services);

/// All routes. `services` outlives them.
pipeline::Routes execute_routes(Services& services);

} // namespace usershell::execute
