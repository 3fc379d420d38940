// The page of access tokens, by which a person's own tools call: the tokens there are, a form that
// makes one, what they have used; and the page of one, where it is changed. Served when the setting
// `api` is on (docs/contract.md, section 9).
#pragma once

#include "auth/services.hpp"
#include "base/wiping.hpp"
#include "pipeline/route.hpp"
#include "store/tokens/access_tokens.hpp"
#include "web/message.hpp"

#include <optional>

namespace usershell::auth {

Handler access_page;
/// By the password. The answer shows the token, and no later one does: a form that is sent twice
/// makes one token.
Handler make_access_token, revoke_access_token;
/// A change that widens or lengthens a token is proven as making one is. Switching one off is
/// not. The answer of a renewal shows the new secret, and no later one does.
Handler token_page, change_access_token, renew_access_token, enable_access_token,
    disable_access_token;
/// When a token was last used, as JSON, for the page that waits for its first call.
Handler token_seen;
/// All usage that is kept, as CSV.
Handler usage_file;

inline constexpr const char* access_path = "/user/settings/access";

/// A secret that has just been made, to be shown once.
struct MadeToken {
    WipedString text;
    store::TokenLimits limits;
    std::optional<AccessTokenId> unused; ///< its first call is waited for
};
web::Response page_with_token(Services& services, pipeline::RequestContext& context,
                              const MadeToken& made);

} // namespace usershell::auth
