#include "manage/routes.hpp"

#include "manage/profile/profile.hpp"
#include "manage/providers/providers.hpp"
#include "manage/sign_in/sign_in.hpp"

namespace usershell::manage {
namespace {

web::Response home(Services&, app::RequestContext&) {
    return web::Response::redirect(302, "/user/providers");
}

} // namespace

app::Routes manage_routes(Services& services) {
    const auto by = [&services](web::Response (*handler)(Services&, app::RequestContext&)) {
        return [&services, handler](app::RequestContext& context) {
            return handler(services, context);
        };
    };
    using enum web::Method;
    return {
        {get, "/", app::Access::open, app::Body::none, by(home)},
        {get, "/auth/login", app::Access::open, app::Body::none, by(login_page)},
        {post, "/auth/login", app::Access::open, app::Body::form, by(login)},
        {post, "/auth/logout", app::Access::page, app::Body::form, by(logout)},
        {get, "/auth/forgot", app::Access::open, app::Body::none, by(forgot_page)},
        {post, "/auth/forgot", app::Access::open, app::Body::form, by(forgot)},
        {get, "/auth/reset", app::Access::open, app::Body::none, by(reset_page)},
        {post, "/auth/reset", app::Access::open, app::Body::form, by(reset)},

        {get, "/user/providers", app::Access::page, app::Body::none, by(providers_page)},
        {get, "/user/providers/list", app::Access::json, app::Body::none, by(list_providers),
         app::WithSession::list},
        {get, "/user/providers/{providerId}/keys", app::Access::json, app::Body::none,
         by(show_key_facts)},
        {post, "/user/providers/create", app::Access::json, app::Body::json, by(create_provider)},
        {put, "/user/providers/{providerId}", app::Access::json, app::Body::json,
         by(edit_provider)},
        {delete_, "/user/providers/{providerId}", app::Access::json, app::Body::json,
         by(delete_provider)},
        {post, "/user/providers/{providerId}/apikey", app::Access::json, app::Body::json,
         by(replace_provider_key)},
        {post, "/user/providers/{providerId}/status", app::Access::json, app::Body::json,
         by(set_provider_status)},

        {post, "/user/providers/{providerId}/models", app::Access::json, app::Body::json,
         by(add_model)},
        {delete_, "/user/providers/{providerId}/models", app::Access::json, app::Body::json,
         by(delete_model)},
        {post, "/user/providers/{providerId}/models/enabled", app::Access::json, app::Body::json,
         by(set_model_enabled)},
        {post, "/user/providers/{providerId}/models/capabilities", app::Access::json,
         app::Body::json, by(set_model_capabilities)},
        {post, "/user/providers/{providerId}/models/name", app::Access::json, app::Body::json,
         by(set_model_name)},

        {post, "/user/providers/{providerId}/accounts", app::Access::json, app::Body::json,
         by(add_account)},
        {put, "/user/providers/{providerId}/accounts/{accountId}", app::Access::json,
         app::Body::json, by(edit_account)},
        {post, "/user/providers/{providerId}/accounts/{accountId}", app::Access::json,
         app::Body::json, by(edit_account)},
        {delete_, "/user/providers/{providerId}/accounts/{accountId}", app::Access::json,
         app::Body::json, by(delete_account)},
        {post, "/user/providers/{providerId}/accounts/{accountId}/apikey", app::Access::json,
         app::Body::json, by(replace_account_key)},
        {put, "/user/providers/{providerId}/accounts/{accountId}/apikey", app::Access::json,
         app::Body::json, by(replace_account_key)},
        {post, "/user/providers/{providerId}/accounts/{accountId}/enabled", app::Access::json,
         app::Body::json, by(set_account_enabled)},
        {put, "/user/providers/{providerId}/accounts/{accountId}/enabled", app::Access::json,
         app::Body::json, by(set_account_enabled)},

        {get, "/user/settings/profile", app::Access::page, app::Body::none, by(profile_page)},
        {post, "/user/settings/profile", app::Access::page, app::Body::form, by(save_display_name)},
        {post, "/user/settings/profile/email", app::Access::page, app::Body::form,
         by(start_email_change)},
        {post, "/user/settings/profile/email/cancel", app::Access::page, app::Body::form,
         by(cancel_email_change)},
        {get, "/user/settings/profile/confirm-email-change", app::Access::page, app::Body::none,
         by(confirm_email_change)},
        {get, "/user/settings/profile/avatar", app::Access::page, app::Body::none, by(show_avatar)},
        {post, "/user/settings/profile/avatar", app::Access::page, app::Body::multipart,
         by(save_avatar)},
        {post, "/user/settings/profile/avatar/remove", app::Access::page, app::Body::form,
         by(remove_avatar)},
        {post, "/user/settings/profile/password", app::Access::page, app::Body::form,
         by(change_password)},
        {post, "/user/settings/profile/delete", app::Access::page, app::Body::form,
         by(delete_own_user)},
        {get, "/user/settings/profile/export", app::Access::page, app::Body::none, by(export_data)},
        {post, "/user/settings/profile/import", app::Access::json, app::Body::large_json,
         by(import_data)},
        {post, "/user/settings/profile/sessions/end", app::Access::page, app::Body::form,
         by(end_sessions)},
        {post, "/user/settings/profile/sessions/{sessionId}/end", app::Access::page,
         app::Body::form, by(end_one_session)},
    };
}

} // namespace usershell::manage
