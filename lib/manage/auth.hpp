// Signing in and out: /auth/login, /auth/logout.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response login_page(Manage& manage, Call& call);
Response login(Manage& manage, Call& call);
Response logout(Manage& manage, Call& call);

/// `url` when it is a path of this service that a browser can't read as another site; else
/// /user/providers.
std::string local_return_url(const std::string& url);

} // namespace usershell
