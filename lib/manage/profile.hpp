// The profile page: name, address, avatar, password, sessions; and the change of the display name.
#pragma once

#include "app/call.hpp"
#include "manage/manage.hpp"

#include <string>

namespace usershell {

Response profile_page(Manage& manage, Call& call);
Response save_display_name(Manage& manage, Call& call);
Response end_sessions(Manage& manage, Call& call);

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
Response render_profile(Manage& manage, Call& call, const ProfileForm& form);

inline constexpr const char* profile_path = "/user/settings/profile";

} // namespace usershell
