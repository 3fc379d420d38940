// The page of access tokens, by which a person's own tools call: the tokens there are, a form that
// makes one, what they have used. Served when the setting `api` is on (docs/contract.md, section
// 9).
#pragma once

#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "web/message.hpp"

namespace usershell::auth {

Handler access_page;
/// By the password. The answer shows the token, and no later one does: a form that is sent twice
/// makes one token.
Handler make_access_token, revoke_access_token;
/// All usage that is kept, as CSV.
Handler usage_file;

inline constexpr const char* access_path = "/user/settings/access";

} // namespace usershell::auth
