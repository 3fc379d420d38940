// The profile page: name, address, avatar, password, sessions; and the change of the display name.
#pragma once

#include "app/request_context.hpp"
#include "manage/services.hpp"

#include <string>

namespace usershell::manage {

web::Response profile_page(Services& services, app::RequestContext& context);
web::Response save_display_name(Services& services, app::RequestContext& context);
web::Response end_sessions(Services& services, app::RequestContext& context);

/// What a form that did not pass shows again: what was typed, and the message beside its field.
struct ProfileForm {
    std::optional<std::string> display_name{};
    std::string new_email{};
    std::string display_name_error{};
    std::string new_email_error{};
    bool password_needed = false; ///< for an address change: the last sign-in is too long ago
    std::string password_error{};
    std::string change_password_error{}; ///< beside the current password
    std::string new_password_error{};
    std::string avatar_error{};
};
web::Response render_profile(Services& services, app::RequestContext& context,
                             const ProfileForm& form);

inline constexpr const char* profile_path = "/user/settings/profile";

} // namespace usershell::manage
