// The caller's providers: the page, the list, and every change to one.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response providers_page(Manage& manage, Call& call);
Response list_providers(Manage& manage, Call& call);
Response create_provider(Manage& manage, Call& call);
Response edit_provider(Manage& manage, Call& call);
Response delete_provider(Manage& manage, Call& call);
Response replace_provider_key(Manage& manage, Call& call);
Response set_provider_status(Manage& manage, Call& call);

} // namespace usershell
