// The profile page and what is done on it: name, address, avatar, password, sessions.
#pragma once

#include "app/request_context.hpp"
#include "manage/page.hpp"
#include "manage/services.hpp"
#include "manage/sign_in/cookies.hpp"

#include <string>

namespace usershell::manage {

web::Response profile_page(Services& services, app::RequestContext& context);
web::Response save_display_name(Services& services, app::RequestContext& context);
web::Response change_password(Services& services, app::RequestContext& context);

// email_change.cpp: started here, confirmed by a link sent to the new address.
web::Response start_email_change(Services& services, app::RequestContext& context);
web::Response cancel_email_change(Services& services, app::RequestContext& context);
/// HEAD and prefetches consume nothing, nor does a link followed from another site.
web::Response confirm_email_change(Services& services, app::RequestContext& context);

// sessions.cpp
web::Response end_one_session(Services& services, app::RequestContext& context);
web::Response end_sessions(Services& services, app::RequestContext& context);
/// Redirects to the sign-in page with that notice, and clears the session's cookies.
web::Response signed_out(Notice notice);
/// The parts of the page that show where the caller is signed in, and what has happened lately.
void show_sessions(app::RequestContext& context, web::PageData& data);
void show_events(app::RequestContext& context, web::PageData& data);

// own_data.cpp: what a person takes along, brings back, and leaves.
/// A file with their providers, models and names of keys: neither keys nor parts of keys.
web::Response export_data(Services& services, app::RequestContext& context);
/// Adds what such a file lists, all as new and without keys, or nothing.
web::Response import_data(Services& services, app::RequestContext& context);
/// By the password and the address typed once more.
web::Response delete_own_user(Services& services, app::RequestContext& context);

// avatar.cpp
web::Response save_avatar(Services& services, app::RequestContext& context);
web::Response remove_avatar(Services& services, app::RequestContext& context);
/// The saved image, or the initials avatar as SVG; 304 when the client has it.
web::Response show_avatar(Services& services, app::RequestContext& context);

/// Shown after a form was refused: the text that was typed, and the error beside its
/// field.
struct ProfileForm {
    std::optional<std::string> display_name{};
    std::string new_email{};
    std::string display_name_error{};
    std::string new_email_error{};
    std::string password_error{};
    std::string change_password_error{}; ///< beside the current password
    std::string new_password_error{};
    std::string avatar_error{};
    std::string delete_email{};
    std::string delete_email_error{};
    std::string delete_password_error{};
};
/// The password was given within the setting recent-sign-in: a change of address need not ask for
/// it.
bool signed_in_recently(const Services& services, const app::RequestContext& context);
web::Response render_profile(Services& services, app::RequestContext& context,
                             const ProfileForm& form);

/// Back to the profile after a security event that ended the caller's other sessions: this browser
/// goes on with `session`, and stays known to the account under its new stamp.
web::Response go_on_signed_in(Services& services, app::RequestContext& context,
                              const FreshSession& session, const std::string& stamp, Notice notice);

inline constexpr const char* profile_path = "/user/settings/profile";

} // namespace usershell::manage
