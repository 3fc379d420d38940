// Checks passwords, throttled: at sign-in, and where a signed-in person has to give the password
// again. All pages use these functions, so that none is a way around the growing delay.
#pragma once

#include "auth/services.hpp"
#include "crypto/secret.hpp"
#include "pipeline/route.hpp"
#include "store/users/passwords.hpp"
#include "store/users/users.hpp"
#include "web/message.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::auth {

/// A password that was right: its user, and the stamp under which it was. The two friends
/// alone can look into it, and both answer with cookies of a session that no browser has had
/// before. So no handler can take a password and leave a session as it was.
class [[nodiscard]] RightPassword {
public:
    explicit RightPassword(store::StampedUser who) : who_{std::move(who)} {}
    RightPassword(RightPassword&&) = default;
    RightPassword& operator=(RightPassword&&) = default;
    RightPassword(const RightPassword&) = delete;
    RightPassword& operator=(const RightPassword&) = delete;
    ~RightPassword() = default;

private:
    friend class SignIn;      // sign_in.cpp
    friend class OwnPassword; // password_check.cpp

    store::StampedUser who_;
};

/// The user whose address and password these are. The same work is done for every caller; the
/// store's connection is not held for it. A hash of less cost than the settings', or of another
/// form than RFC 8265's, is replaced. Throws Refusal rate_limited with the time to wait when tries
/// come too fast, for this account or from this client address, and unavailable when no permit for
/// a hash is free.
std::optional<RightPassword> check_password(Services& services, pipeline::RequestContext& context,
                                            const std::string& email,
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

/// For each route that asks for the caller's own password. When it is right, the session gets new
/// tokens before `right` runs, and the response sets their cookies, also when `right` throws a
/// Refusal: the earlier cookies are dead, also a thief's. `right` is given the caller, and the
/// stamp under which the password was verified. `wrong`: the form again. Throws as
/// check_password().
web::Response by_own_password(Services& services, pipeline::RequestContext& context,
                              const crypto::Secret& password,
                              const std::function<web::Response()>& wrong,
                              const std::function<AfterPassword(const store::StampedUser&)>& right);

/// How long to wait for the next try, as people read it.
Sentence wait_sentence(std::chrono::seconds wait);

/// The subjects under which throttles count the client of a request: a hash of `purpose` and each
/// of its networks (Address::client_networks). The /48 of IPv6 has the free tries of many clients.
std::vector<store::Throttle> client_throttles(std::string_view purpose, const web::Request& request,
                                              int free_attempts, std::chrono::seconds max_delay);

} // namespace usershell::auth
