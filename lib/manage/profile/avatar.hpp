// The avatar: upload, remove, and the picture itself.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

namespace usershell::manage {

web::Response save_avatar(Services& services, app::RequestContext& context);
web::Response remove_avatar(Services& services, app::RequestContext& context);
/// The saved image, or the initials avatar as SVG; 304 when the client has it.
web::Response show_avatar(Services& services, app::RequestContext& context);

} // namespace usershell::manage
