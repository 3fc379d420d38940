// Anti-forgery for visitors without a session: a short-lived random cookie, and a key derived from
// it and the web ring, so that nothing is stored for them.
#pragma once

#include "crypto/ring.hpp"
#include "web/message.hpp"

#include <optional>
#include <string>

namespace usershell::manage {

/// The key of the visitor's cookie; nothing when they have none.
std::optional<std::string> anonymous_antiforgery_key(const crypto::WebSecret& ring,
                                                     const web::Request& request);

/// A visitor about to see a form: their key, from their cookie or a new one that is set on
/// `response`.
struct Visitor {
    std::string antiforgery_key;
    std::optional<std::string> set_cookie; ///< header value, when the cookie is new
};
Visitor visitor_of(const crypto::WebSecret& ring, const web::Request& request);

/// Header value that ends the visitor's cookie, and with it the tokens of forms open in other tabs.
std::string clear_visitor_cookie();

} // namespace usershell::manage
