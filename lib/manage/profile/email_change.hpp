// Changing the login address: started on the profile page, confirmed by a link sent to the new
// address.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response start_email_change(Services& services, app::RequestContext& context);
web::Response cancel_email_change(Services& services, app::RequestContext& context);
/// HEAD and prefetches consume nothing.
web::Response confirm_email_change(Services& services, app::RequestContext& context);

} // namespace usershell::manage
