// Setting a new password: from the profile page, or by a one-time link ("forgot password",
// invitation).
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response change_password(Manage& manage, Call& call);
Response forgot_page(Manage& manage, Call& call);
Response forgot(Manage& manage, Call& call);
Response reset_page(Manage& manage, Call& call);
Response reset(Manage& manage, Call& call);

} // namespace usershell
