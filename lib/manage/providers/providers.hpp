// The caller's providers: the page, the list, and every change to one.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response providers_page(Services& services, app::RequestContext& context);
web::Response list_providers(Services& services, app::RequestContext& context);
web::Response create_provider(Services& services, app::RequestContext& context);
web::Response edit_provider(Services& services, app::RequestContext& context);
web::Response delete_provider(Services& services, app::RequestContext& context);
web::Response replace_provider_key(Services& services, app::RequestContext& context);
web::Response set_provider_status(Services& services, app::RequestContext& context);

} // namespace usershell::manage
