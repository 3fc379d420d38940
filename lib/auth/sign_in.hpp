// Getting in without a session, and out: /auth/login, /auth/factor, /auth/logout, and the one-time
// links of "forgot password" and invitations.
#pragma once

#include "auth/services.hpp"
#include "pages/templates.hpp"
#include "pipeline/route.hpp"

#include <string>

namespace usershell::auth {

Handler login_page, login, logout;
/// The second factor, after the password. Without a sign-in under way there is no page.
Handler factor_page, factor;

// password_reset.cpp
Handler forgot_page, forgot, reset_page, reset;

/// "Forgot password" is there only where a mail can be sent and the operator wants it.
bool has_forgot_password(const Services& services);

/// A page with a form that needs no session: the anti-forgery token is the visitor's.
web::Response visitor_page(const Services& services, const pipeline::RequestContext& context,
                           pages::Page page, web::PageData data);

/// `url` when it is a path of this service that a browser can't read as another site; else
/// /user/providers.
std::string local_return_url(const std::string& url);

} // namespace usershell::auth
