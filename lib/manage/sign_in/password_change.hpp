// Setting a new password: from the profile page, or by a one-time link ("forgot password",
// invitation).
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response change_password(Services& services, app::RequestContext& context);
web::Response forgot_page(Services& services, app::RequestContext& context);
web::Response forgot(Services& services, app::RequestContext& context);
web::Response reset_page(Services& services, app::RequestContext& context);
web::Response reset(Services& services, app::RequestContext& context);

} // namespace usershell::manage
