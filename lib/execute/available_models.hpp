// The provider's own model list: GET …/models/available.
#pragma once

#include "app/call.hpp"
#include "execute/execute.hpp"

namespace usershell {

Response available_models(Execute& wing, Call& call);

} // namespace usershell
