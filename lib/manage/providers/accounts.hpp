// Accounts, the named keys of the caller's providers: add, edit, replace the key, switch, remove.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response add_account(Services& services, app::RequestContext& context);
web::Response edit_account(Services& services, app::RequestContext& context);
web::Response replace_account_key(Services& services, app::RequestContext& context);
web::Response set_account_enabled(Services& services, app::RequestContext& context);
web::Response delete_account(Services& services, app::RequestContext& context);

} // namespace usershell::manage
