#include "execute/routes.hpp"

#include "execute/available_models.hpp"
#include "execute/connectivity.hpp"
#include "execute/playground/playground.hpp"

namespace usershell::execute {

app::Routes execute_routes(Services& services) {
    const auto by = [&services](web::Response (*handler)(Services&, app::RequestContext&)) {
        return [&services, handler](app::RequestContext& context) {
            return handler(services, context);
        };
    };
    using enum web::Method;
    return {
        {post, "/user/providers/playground", app::Access::call, app::Body::large_json,
         by(playground)},
        {post, "/user/providers/test-batch", app::Access::call, app::Body::json, by(test_batch)},
        {post, "/user/providers/{providerId}/test", app::Access::call, app::Body::json,
         by(test_provider)},
        {get, "/user/providers/{providerId}/models/available", app::Access::call, app::Body::none,
         by(available_models)},
        {post, "/user/providers/{providerId}/accounts/{accountId}/test", app::Access::call,
         app::Body::json, by(test_account)},
    };
}

} // namespace usershell::execute
