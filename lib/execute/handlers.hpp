// The handlers of usershell-execute, and its route table.
#pragma once

#include "execute/services.hpp"
#include "pipeline/route.hpp"

#include <memory>

namespace usershell::execute {

using Handler = web::Response(Services& services, pipeline::RequestContext& context);
using CallHandler = web::Response(Services& services, pipeline::RequestContext& context,
                                  std::shared_ptr<Call> call);

/// POST /user/providers/playground: talks through a provider, streamed or not.
CallHandler playground;

/// Connectivity tests of one provider, of one account's key, of all active providers side by side.
CallHandler test_provider, test_account, test_batch;

/// GET …/models/available: the provider's own model list.
CallHandler available_models;

/// GET /v1/models and /v1/models/{id}: what the access token may use now, by the database alone.
Handler tool_models, tool_model;

/// The routes below /v1: a person's tools call through the stored keys, by an access token. Empty
/// unless the operator has turned them on. `services` outlives the routes.
pipeline::Routes tool_routes(Services& services);

/// All routes. `services` outlives them.
pipeline::Routes execute_routes(Services& services);

} // namespace usershell::execute
