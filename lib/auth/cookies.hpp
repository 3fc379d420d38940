// The cookies that this program sets: of a session, of a visitor who has none, and of a browser
// that has signed in before. Pure but for random bytes; any thread may call.
#pragma once

#include "crypto/ring/ring.hpp"
#include "pipeline/guard.hpp"
#include "store/users/sessions.hpp"
#include "store/users/users.hpp"
#include "web/message.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace usershell::auth {

/// The values of a session's cookies, and their stored form.
struct FreshSession {
    std::map<pipeline::Pool, std::string> tokens; ///< for the cookies only
    /// For the store. The anti-forgery keys are fresh, so that the tokens of pages shown before end
    /// with them.
    store::SessionKeys keys;
};
FreshSession fresh_session();

/// `lifetime`: null: they last until the browser is closed.
void set_session_cookies(web::Response& response, const FreshSession& session,
                         const std::optional<std::chrono::seconds>& lifetime);
/// After a sign-out. The browser also drops what scripts of ours have stored (Clear-Site-Data). Not
/// our other cookies, or a browser that has signed in before would be a stranger, and a notice set
/// in the same answer would be lost. `keeps_stored`: it does not, as a person wants conversations
/// kept on this device beyond a sign-out; the page's script drops the rest.
void clear_session(web::Response& response, bool keeps_stored = false);

/// A visitor has no session, and nothing is stored for them: the anti-forgery key of their forms is
/// derived from a short-lived random cookie and the auth ring.
struct Visitor {
    std::string antiforgery_key;
    std::string hash;                  ///< visitor_hash() once the cookie is set
    std::optional<web::Cookie> cookie; ///< to be set, when the request brought none
};
Visitor visitor_of(const crypto::AuthSecret& ring, const web::Request& request);
/// The key of the visitor that the request comes from; null when it brings no good cookie.
std::optional<std::string> visitor_antiforgery_key(const crypto::AuthSecret& ring,
                                                   const web::Request& request);
/// Names the browser for a sign-in that is under way: 32 bytes, not the cookie's token.
std::string visitor_hash(const web::Request& request);
/// Ends the visitor's cookie, and with it the tokens of forms open in other tabs.
void clear_visitor_cookie(web::Response& response);

/// A browser that has signed in to an account before is recognised by a cookie that only we can
/// make, so that the wrong guesses of strangers slow down strangers only (OWASP, "Slow Down Online
/// Guessing Attacks with Device Cookies"). The cookie gives no access to anything.
///
/// The device's own random name, when the request brings a good cookie for that account.
std::optional<std::string> known_device(const crypto::AuthSecret& ring, const web::Request& request,
                                        const store::StampedUser& who);
/// The user that the service has made the request's cookie for, at any time; null: a stranger's. It
/// asks no store, and is no sign-in: it decides who is served first when many come at once.
std::optional<UserId> user_of_browser(const crypto::AuthSecret& ring, const web::Request& request);
/// Names this browser for that account, for a year or until its next security event. It keeps a
/// name that it has: each name has tries of its own, and copies of older cookies must not add to
/// them.
void set_device_cookie(web::Response& response, const crypto::AuthSecret& ring,
                       const web::Request& request, const store::StampedUser& who);

} // namespace usershell::auth
