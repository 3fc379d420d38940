#include "auth/access/access.hpp"
#include "auth/factors/pages.hpp"
#include "auth/security.hpp"
#include "auth/services.hpp"
#include "auth/sign_in.hpp"

namespace usershell::auth {
namespace {

/// The form is on pages of usershell-manage too, or asks for the password, which no other page can
/// give.
pipeline::Route on_any_page(pipeline::Route route) {
    std::get<pipeline::SessionRoute>(route.kind).form_of = pipeline::FormOf::any_page;
    return route;
}

pipeline::Routes all_routes(Services& services) {
    const pipeline::RouteRows open{services, pipeline::Access::open, pipeline::Body::form};
    const pipeline::RouteRows page{services, pipeline::Access::page, pipeline::Body::form};
    const pipeline::RouteRows json{services, pipeline::Access::json, pipeline::Body::json};
    using enum web::Method;
    return {
        open(get, "/auth/login", login_page),
        open(post, "/auth/login", login),
        open(get, "/auth/factor", factor_page),
        open(post, "/auth/factor", factor),
        on_any_page(page(post, "/auth/logout", logout)),
        open(get, "/auth/forgot", forgot_page),
        open(post, "/auth/forgot", forgot),
        open(get, "/auth/reset", reset_page),
        open(post, "/auth/reset", reset),

        page(get, "/user/settings/security", security_page),
        page(get, "/user/settings/security/app", app_page),
        page(post, "/user/settings/security/app", add_app),
        page(get, "/user/settings/security/passkey", passkey_page),
        page(post, "/user/settings/security/passkey", add_passkey),
        page(post, "/user/settings/security/passkeys/{passkeyId}", rename_passkey),
        page(post, "/user/settings/security/remove", remove_factor),
        page(post, "/user/settings/security/recovery", make_recovery_codes),
        on_any_page(page(post, "/user/settings/profile/email", start_email_change)),
        page(get, "/user/settings/profile/confirm-email-change", confirm_email_change),
        page(post, "/user/settings/profile/password", change_password),
        page(post, "/user/settings/profile/delete", delete_own_user),
        page(post, "/user/settings/profile/links/{kind}/end", end_link),
        page(post, "/user/settings/profile/sessions/end", end_sessions),
        page(post, "/user/settings/profile/sessions/{sessionId}/end", end_one_session),

        page(get, "/user/settings/access", access_page),
        page(post, "/user/settings/access", make_access_token),
        page(get, "/user/settings/access/usage.csv", usage_file),
        page(get, "/user/settings/access/{tokenId}", token_page),
        page(post, "/user/settings/access/{tokenId}", change_access_token),
        page(post, "/user/settings/access/{tokenId}/renew", renew_access_token),
        page(post, "/user/settings/access/{tokenId}/enable", enable_access_token),
        page(post, "/user/settings/access/{tokenId}/disable", disable_access_token),
        page(post, "/user/settings/access/{tokenId}/revoke", revoke_access_token),
        json(get, "/user/settings/access/{tokenId}/seen", token_seen),
    };
}

} // namespace

pipeline::Routes auth_routes(Services& services) {
    pipeline::Routes routes = all_routes(services);
    if (!services.settings.api)
        std::erase_if(routes, [](const pipeline::Route& route) {
            return route.pattern.starts_with(access_path);
        });
    return routes;
}

} // namespace usershell::auth
