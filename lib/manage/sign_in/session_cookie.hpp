// The session cookie: made at sign-in, renewed when the session's token is, cleared at sign-out.
#pragma once

#include "base/config.hpp"
#include "store/sessions.hpp"
#include "web/message.hpp"

#include <string>

namespace usershell::manage {

/// A fresh token and what the store keeps of it.
struct FreshToken {
    std::string token; ///< for the cookie only
    std::string hash;  ///< for the store
    std::string
        antiforgery_key; ///< for the store; a fresh one, so that old pages' tokens end with it
};
FreshToken fresh_session_token();

/// Lasts for the browser's session, or as long as the session itself when it is to be remembered.
void set_session_cookie(web::Response& response, const std::string& token, bool remembered,
                        const Settings& settings);
void clear_session_cookie(web::Response& response);

} // namespace usershell::manage
