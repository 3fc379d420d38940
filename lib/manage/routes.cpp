#include "manage/services.hpp"

#include "manage/profile/profile.hpp"
#include "manage/providers/providers.hpp"

namespace usershell::manage {
namespace {

using pipeline::Access;
using pipeline::Body;

web::Response home(Services&, pipeline::RequestContext&) {
    return web::Response::redirect(302, "/user/providers");
}

pipeline::Route with_list(pipeline::Route route) {
    std::get<pipeline::SessionRoute>(route.kind).with_session = pipeline::WithSession::list;
    return route;
}

} // namespace

pipeline::Routes manage_routes(Services& services) {
    const pipeline::RouteRows open{services, Access::open, Body::form};
    const pipeline::RouteRows page{services, Access::page, Body::form};
    const pipeline::RouteRows json{services, Access::json, Body::json};
    using enum web::Method;
    return {
        open(get, "/", home),
        page(get, "/user/providers", providers_page),
        page(get, "/user/playground", playground_page),
        with_list(json(get, "/user/providers/list", list_providers)),
        json(get, "/user/providers/{providerId}/keys", show_key_facts),
        json(post, "/user/providers/create", create_provider),
        json(put, "/user/providers/{providerId}", edit_provider),
        json(delete_, "/user/providers/{providerId}", delete_provider),
        json(post, "/user/providers/{providerId}/apikey", replace_provider_key),
        json(post, "/user/providers/{providerId}/status", set_provider_status),

        json(post, "/user/providers/{providerId}/models", add_model),
        json(delete_, "/user/providers/{providerId}/models", delete_model),
        json(post, "/user/providers/{providerId}/models/enabled", set_model_enabled),
        json(post, "/user/providers/{providerId}/models/capabilities", set_model_capabilities),
        json(post, "/user/providers/{providerId}/models/name", set_model_name),
        json(post, "/user/providers/{providerId}/models/position", set_model_position),

        json(post, "/user/providers/{providerId}/accounts", add_account),
        json(put, "/user/providers/{providerId}/accounts/{accountId}", edit_account),
        json(post, "/user/providers/{providerId}/accounts/{accountId}", edit_account),
        json(delete_, "/user/providers/{providerId}/accounts/{accountId}", delete_account),
        json(post, "/user/providers/{providerId}/accounts/{accountId}/apikey", replace_account_key),
        json(put, "/user/providers/{providerId}/accounts/{accountId}/apikey", replace_account_key),
        json(post, "/user/providers/{providerId}/accounts/{accountId}/enabled",
             set_account_enabled),
        json(put, "/user/providers/{providerId}/accounts/{accountId}/enabled", set_account_enabled),

        json(post, "/user/providers/{providerId}/headers", set_header),
        json(delete_, "/user/providers/{providerId}/headers/{name}", delete_header),

        page(get, "/user/settings/profile", profile_page),
        page(post, "/user/settings/profile", save_display_name),
        page(get, "/user/settings/profile/avatar", show_avatar),
        page(post, "/user/settings/profile/avatar", save_avatar, Body::multipart),
        page(post, "/user/settings/profile/avatar/remove", remove_avatar),
        page(get, "/user/settings/profile/export", export_data),
        json(post, "/user/settings/profile/import", import_data, Body::large_json),
    };
}

} // namespace usershell::manage
