// Signing in and out: /auth/login, /auth/logout.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response login_page(Services& services, app::RequestContext& context);
web::Response login(Services& services, app::RequestContext& context);
web::Response logout(Services& services, app::RequestContext& context);

/// `url` when it is a path of this service that a browser can't read as another site; else
/// /user/providers.
std::string local_return_url(const std::string& url);

} // namespace usershell::manage
