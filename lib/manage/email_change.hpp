// Changing the login address: started on the profile page, confirmed by a link sent to the new
// address.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response start_email_change(Manage& manage, Call& call);
Response cancel_email_change(Manage& manage, Call& call);
/// HEAD and prefetches consume nothing.
Response confirm_email_change(Manage& manage, Call& call);

} // namespace usershell
