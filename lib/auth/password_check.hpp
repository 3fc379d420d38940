// Checks passwords, throttled: at sign-in, and where a signed-in person has to give the password
// again. All pages use these functions, so that none is a way around the growing delay.
#pragma once

#include "auth/services.hpp"
#include "crypto/secret.hpp"
#include "pipeline/route.hpp"
#include "store/users/passwords.hpp"
#include "web/message.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::auth {

/// The sign-in of the user whose address and password these are, for that deed. The same work is
/// done for every caller; the store's connection is not held for it. A hash of less cost than the
/// settings', or of another form than RFC 8265's, is replaced. Throws Refusal rate_limited with the
/// time to wait when tries come too fast, for this account or from this client address, and
/// unavailable when no permit for a hash is free.
std::optional<store::SignIn> check_password(Services& services, pipeline::RequestContext& context,
                                            store::Deed deed, const std::string& email,
                                            const crypto::Secret& password);

/// The answer of a route once the caller's own password was right.
struct AfterPassword {
    /// Of the caller's session, when the route has answered.
    enum class Session {
        goes_on,  ///< under the tokens that the password has given it
        replaced, ///< the response has set the cookies of other tokens
        ended,    ///< by deletion, or a security event that came in between
    };

    web::Response response;
    Session session = Session::goes_on;
};

/// It has ended in between: to the sign-in page.
AfterPassword session_ended();

/// The error beside a field, by the template's section: "NEW_EMAIL_ERROR". {}: there is none.
using FieldError = std::pair<std::string, Sentence>;

/// For each route that asks for the caller's own password, and does `deed`. It is proven by the
/// password and, of who has one, a second factor; or by a passkey. Then the session gets new tokens
/// before `right` runs, and the response sets their cookies, also when `right` throws a Refusal:
/// the earlier cookies are dead, also a thief's. `right` is given the sign-in that the store takes
/// for the deed. `form`: the name of the form, whose fields are those of templates/proof.tpl.
/// `refused`: the form again, with the error beside one of them. Throws as check_password().
web::Response by_own_password(Services& services, pipeline::RequestContext& context,
                              store::Deed deed, const std::string& form,
                              const std::function<web::Response(const FieldError&)>& refused,
                              const std::function<AfterPassword(const store::SignIn&)>& right);

/// How long to wait for the next try, as people read it.
Sentence wait_sentence(std::chrono::seconds wait);

/// The subjects under which throttles count the client of a request: a hash of `purpose` and each
/// of its networks (Address::client_networks). The /48 of IPv6 has the free tries of many clients.
std::vector<store::Throttle> client_throttles(std::string_view purpose, const web::Request& request,
                                              int free_attempts, std::chrono::seconds max_delay);

} // namespace usershell::auth
