// The security page and what is done on it: address, password, sessions, deletion.
#pragma once

#include "auth/cookies.hpp"
#include "auth/factors/proof.hpp"
#include "auth/services.hpp"
#include "base/timestamp.hpp"
#include "pipeline/page.hpp"
#include "pipeline/route.hpp"

#include <functional>
#include <set>
#include <string>

namespace usershell::auth {

Handler security_page, change_password;
/// By the password and the address typed once more.
Handler delete_own_user;

// email_change.cpp: started here, confirmed by a link sent to the new address.
Handler start_email_change;
/// HEAD and prefetches consume nothing, nor does a link followed from another site.
Handler confirm_email_change;

// The mailed links that are open.
Handler end_link;
void show_links(pipeline::RequestContext& context, web::PageData& data);

// sessions.cpp
Handler end_one_session, end_sessions;
/// Redirects to the sign-in page with that notice, after clear_session().
web::Response signed_out(pipeline::Notice notice, bool keeps_stored = false);
/// The parts of the page that show where the caller is signed in, and what has happened lately.
void show_sessions(pipeline::RequestContext& context, web::PageData& data);
void show_events(pipeline::RequestContext& context, web::PageData& data);
/// The sentence of a kind of event.
Sentence event_sentence(const std::string& kind);
/// "2026-01-02 03:04 UTC": shown until the page's script writes the reader's own time.
std::string readable(Timestamp moment);

/// Shown again after a form was refused: the text that was typed.
struct SecurityForm {
    std::string new_email{};
    std::set<std::string> kept_tokens{}; ///< ids of access tokens
    std::string delete_email{};
};
web::Response render_security(Services& services, pipeline::RequestContext& context,
                              const SecurityForm& form, const FieldError& error = {});

/// The same for by_proof(). Services and context outlive it.
std::function<web::Response(const FieldError&)> security_again(Services& services,
                                                               pipeline::RequestContext& context,
                                                               const SecurityForm& form = {});

/// Back to the page after a security event that ended the caller's other sessions: this browser
/// goes on with `session`, and stays known to the account under its new stamp.
web::Response go_on_signed_in(Services& services, pipeline::RequestContext& context,
                              const FreshSession& session, const std::string& stamp,
                              pipeline::Notice notice);

inline constexpr const char* security_path = "/user/settings/security";

} // namespace usershell::auth
