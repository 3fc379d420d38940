// The routes below /v1: a person's tools call through the stored keys, by an access token.
#pragma once

#include "app/route.hpp"
#include "execute/services.hpp"

namespace usershell::execute {

/// Empty unless the operator has turned them on. `services` outlives the routes.
app::Routes tool_routes(Services& services);

/// GET /v1/models and /v1/models/{id}: what the token may use now, by the database alone.
web::Response tool_models(Services& services, app::RequestContext& context);
web::Response tool_model(Services& services, app::RequestContext& context);

} // namespace usershell::execute
