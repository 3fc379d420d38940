// Accounts, the named keys of the caller's providers: add, edit, replace the key, switch, remove.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response add_account(Manage& manage, Call& call);
Response edit_account(Manage& manage, Call& call);
Response replace_account_key(Manage& manage, Call& call);
Response set_account_enabled(Manage& manage, Call& call);
Response delete_account(Manage& manage, Call& call);

} // namespace usershell
