#include "manage/routes.hpp"

#include "manage/accounts.hpp"
#include "manage/auth.hpp"
#include "manage/avatar.hpp"
#include "manage/email_change.hpp"
#include "manage/models.hpp"
#include "manage/password_change.hpp"
#include "manage/profile.hpp"
#include "manage/providers.hpp"

namespace usershell {
namespace {

Response home(Manage&, Call&) { return Response::redirect(302, "/user/providers"); }

} // namespace

Routes manage_routes(Manage& manage) {
    const auto by = [&manage](Response (*handler)(Manage&, Call&)) {
        return [&manage, handler](Call& call) { return handler(manage, call); };
    };
    using enum Method;
    return {
        {get, "/", Access::open, Body::none, by(home)},
        {get, "/auth/login", Access::open, Body::none, by(login_page)},
        {post, "/auth/login", Access::open, Body::form, by(login)},
        {post, "/auth/logout", Access::page, Body::form, by(logout)},
        {get, "/auth/forgot", Access::open, Body::none, by(forgot_page)},
        {post, "/auth/forgot", Access::open, Body::form, by(forgot)},
        {get, "/auth/reset", Access::open, Body::none, by(reset_page)},
        {post, "/auth/reset", Access::open, Body::form, by(reset)},

        {get, "/user/providers", Access::page, Body::none, by(providers_page)},
        {get, "/user/providers/list", Access::json, Body::none, by(list_providers)},
        {post, "/user/providers/create", Access::json, Body::json, by(create_provider)},
        {put, "/user/providers/{providerId}", Access::json, Body::json, by(edit_provider)},
        {delete_, "/user/providers/{providerId}", Access::json, Body::json, by(delete_provider)},
        {post, "/user/providers/{providerId}/apikey", Access::json, Body::json,
         by(replace_provider_key)},
        {post, "/user/providers/{providerId}/status", Access::json, Body::json,
         by(set_provider_status)},

        {post, "/user/providers/{providerId}/models", Access::json, Body::json, by(add_model)},
        {delete_, "/user/providers/{providerId}/models", Access::json, Body::json,
         by(delete_model)},
        {post, "/user/providers/{providerId}/models/enabled", Access::json, Body::json,
         by(set_model_enabled)},
        {post, "/user/providers/{providerId}/models/capabilities", Access::json, Body::json,
         by(set_model_capabilities)},

        {post, "/user/providers/{providerId}/accounts", Access::json, Body::json, by(add_account)},
        {put, "/user/providers/{providerId}/accounts/{accountId}", Access::json, Body::json,
         by(edit_account)},
        {post, "/user/providers/{providerId}/accounts/{accountId}", Access::json, Body::json,
         by(edit_account)},
        {delete_, "/user/providers/{providerId}/accounts/{accountId}", Access::json, Body::json,
         by(delete_account)},
        {post, "/user/providers/{providerId}/accounts/{accountId}/apikey", Access::json, Body::json,
         by(replace_account_key)},
        {put, "/user/providers/{providerId}/accounts/{accountId}/apikey", Access::json, Body::json,
         by(replace_account_key)},
        {post, "/user/providers/{providerId}/accounts/{accountId}/enabled", Access::json,
         Body::json, by(set_account_enabled)},
        {put, "/user/providers/{providerId}/accounts/{accountId}/enabled", Access::json, Body::json,
         by(set_account_enabled)},

        {get, "/user/settings/profile", Access::page, Body::none, by(profile_page)},
        {post, "/user/settings/profile", Access::page, Body::form, by(save_display_name)},
        {post, "/user/settings/profile/email", Access::page, Body::form, by(start_email_change)},
        {post, "/user/settings/profile/email/cancel", Access::page, Body::form,
         by(cancel_email_change)},
        {get, "/user/settings/profile/confirm-email-change", Access::page, Body::none,
         by(confirm_email_change)},
        {get, "/user/settings/profile/avatar", Access::page, Body::none, by(show_avatar)},
        {post, "/user/settings/profile/avatar", Access::page, Body::multipart, by(save_avatar)},
        {post, "/user/settings/profile/avatar/remove", Access::page, Body::form, by(remove_avatar)},
        {post, "/user/settings/profile/password", Access::page, Body::form, by(change_password)},
        {post, "/user/settings/profile/sessions/end", Access::page, Body::form, by(end_sessions)},
    };
}

} // namespace usershell
