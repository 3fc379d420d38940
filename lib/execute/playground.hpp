// Talking through a provider: /user/providers/playground, streamed or not.
#pragma once

#include "app/call.hpp"
#include "execute/execute.hpp"

namespace usershell {

Response playground(Execute& wing, Call& call);

} // namespace usershell
