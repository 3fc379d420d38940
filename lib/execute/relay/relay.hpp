// The routes below /v1: a person's tools call through the stored keys, by an access token.
#pragma once

#include "execute/services.hpp"
#include "pipeline/route.hpp"

namespace usershell::execute {

/// Empty unless the operator has turned them on. `services` outlives the routes.
pipeline::Routes tool_routes(Services& services);

/// GET /v1/models and /v1/models/{id}: what the token may use now, by the database alone.
web::Response tool_models(Services& services, pipeline::RequestContext& context);
web::Response tool_model(Services& services, pipeline::RequestContext& context);

} // namespace usershell::execute
