// The page of access tokens, by which a person's own tools call: the tokens there are, a form that
// makes one, what they have used. Served when the setting `api` is on (docs/contract.md, section
// 9).
#pragma once

#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "web/message.hpp"

namespace usershell::auth {

web::Response access_page(Services& services, pipeline::RequestContext& context);
/// By the password. The answer shows the token, and no later one does: a form that is sent twice
/// makes one token.
web::Response make_access_token(Services& services, pipeline::RequestContext& context);
web::Response revoke_access_token(Services& services, pipeline::RequestContext& context);
/// All usage that is kept, as CSV.
web::Response usage_file(Services& services, pipeline::RequestContext& context);

inline constexpr const char* access_path = "/user/settings/access";

} // namespace usershell::auth
