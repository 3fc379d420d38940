// The profile page and what is done on it: name and avatar, export and import.
#pragma once

#include "manage/services.hpp"
#include "pipeline/route.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace usershell::manage {

Handler profile_page, save_display_name;

// export.cpp: what a person takes along and brings back.
/// A file with their providers, models and names of keys: neither keys nor parts of keys.
Handler export_data;
/// Adds what such a file lists, all as new and without keys, or nothing.
Handler import_data;

// avatar.cpp
Handler save_avatar, remove_avatar;
/// The saved image, or the initials avatar as SVG; 304 when the client has it.
Handler show_avatar;

/// A letter of the pages' face, in thousandths of an em.
struct Outline {
    int width;
    const char* path; ///< of SVG, on the line y = 0
};
/// Null: the face does not have it. Made by cmake/font.py, of those that names begin with.
const Outline* outline_of(std::string_view letter);

/// The picture of someone who has saved none: their initials on a colour of their own, as SVG.
/// `stable_id` (the user's id) chooses the colour. Every colour has a contrast of at least 4.5 : 1
/// to the white letters (WCAG 2.2, 1.4.3). Pure.
std::string initials_svg(const std::string& display_name, const std::string& stable_id);

/// Shown after a form was refused: the text that was typed, and the error beside its
/// field.
struct ProfileForm {
    std::optional<std::string> display_name{};
    Sentence display_name_error{};
    Sentence avatar_error{};
};
web::Response render_profile(Services& services, pipeline::RequestContext& context,
                             const ProfileForm& form);

inline constexpr const char* profile_path = "/user/settings/profile";

} // namespace usershell::manage
