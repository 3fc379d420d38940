// How a signed-in person proves a deed: by the password and, where there is one, a second factor;
// or by a passkey whose device has verified the person. Any thread may call.
#pragma once

#include "auth/services.hpp"
#include "pipeline/route.hpp"
#include "store/users/factors.hpp"
#include "web/message.hpp"
#include "web/pages.hpp"

#include <functional>
#include <string>
#include <utility>

namespace usershell::auth {

/// The error beside a field, by the template's section: "NEW_EMAIL_ERROR". {}: there is none.
using FieldError = std::pair<std::string, Sentence>;

/// The answer of a route once its deed was proven.
struct AfterProof {
    /// Of the caller's session, when the route has answered.
    enum class Session {
        goes_on,  ///< under the tokens that the proof has given it
        replaced, ///< the response has set the cookies of other tokens
        ended,    ///< by deletion, or a security event that came in between
    };

    web::Response response;
    Session session = Session::goes_on;
};

/// It has ended in between: to the sign-in page.
AfterProof session_ended();

/// For each route with a form of templates/proof.tpl. `form`: its name there, by which its deed is
/// known. Once that is proven, the session gets new tokens before `proven` runs, and the response
/// sets their cookies, also when `proven` throws a Refusal: the earlier cookies are dead, also a
/// thief's. `proven` is given the sign-in that the store takes for the deed. `refused`: the form
/// again, with the error beside one of its fields. Throws as check_password().
web::Response by_proof(Services& services, pipeline::RequestContext& context,
                       const std::string& form,
                       const std::function<web::Response(const FieldError&)>& refused,
                       const std::function<AfterProof(const store::SignIn&)>& proven);

/// Has the page's forms ask for a code or a passkey, if the caller has a factor. Returns what they
/// have.
store::OwnFactors show_proof(const Services& services, pipeline::RequestContext& context,
                             web::PageData& data);

/// Adds the form's passkey or code to that sign-in of that deed. Empty when it is enough then, else
/// the sentence why not.
Sentence show_factor(Services& services, pipeline::RequestContext& context, store::Deed deed,
                     const store::SignIn& sign_in, const store::SignInState& state);

} // namespace usershell::auth
