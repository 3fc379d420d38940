#include "execute/routes.hpp"

#include "execute/available_models.hpp"
#include "execute/connectivity.hpp"
#include "execute/playground.hpp"

namespace usershell {

Routes execute_routes(Execute& wing) {
    const auto by = [&wing](Response (*handler)(Execute&, Call&)) {
        return [&wing, handler](Call& call) { return handler(wing, call); };
    };
    using enum Method;
    return {
        {post, "/user/providers/playground", Access::json, Body::json, by(playground)},
        {post, "/user/providers/test-batch", Access::json, Body::json, by(test_batch)},
        {post, "/user/providers/{providerId}/test", Access::json, Body::json, by(test_provider)},
        {get, "/user/providers/{providerId}/models/available", Access::json, Body::none,
         by(available_models)},
        {post, "/user/providers/{providerId}/accounts/{accountId}/test", Access::json, Body::json,
         by(test_account)},
    };
}

} // namespace usershell
