// Does a provider answer? One provider, one account's key, or all active providers side by side.
#pragma once

#include "app/call.hpp"
#include "execute/execute.hpp"

namespace usershell {

Response test_provider(Execute& wing, Call& call);
Response test_account(Execute& wing, Call& call);
Response test_batch(Execute& wing, Call& call);

} // namespace usershell
