// The avatar: upload, remove, and the picture itself.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

namespace usershell {

Response save_avatar(Manage& manage, Call& call);
Response remove_avatar(Manage& manage, Call& call);
/// The saved image, or the initials avatar as SVG; 304 when the client has it.
Response show_avatar(Manage& manage, Call& call);

} // namespace usershell
