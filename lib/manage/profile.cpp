#include "manage/profile.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "manage/page.hpp"
#include "manage/session_cookie.hpp"
#include "store/avatars.hpp"
#include "store/email_changes.hpp"
#include "store/sessions.hpp"
#include "store/users.hpp"

namespace usershell {
namespace {

constexpr std::size_t max_display_name = 120; ///< code points

void show_error(PageData& data, const char* section, const std::string& message) {
    if (!message.empty()) data.show(section).set("MESSAGE", message);
}

/// Empty when the name is good.
std::string display_name_error(const std::string& name) {
    if (name.empty()) return "Enter a name.";
    if (has_control(name)) return "Control characters are not allowed here.";
    if (count_code_points(name) > max_display_name) return "A name has at most 120 characters.";
    return {};
}

} // namespace

Response render_profile(Manage& manage, Call& call, const ProfileForm& form) {
    PageData data = page_frame(call, "Profile", "/assets/profile.js");
    data.set("DISPLAY_NAME_VALUE", form.display_name.value_or(call.caller().display_name));
    data.set("CURRENT_EMAIL", call.caller().email);
    data.set("NEW_EMAIL_VALUE", form.new_email);
    if (const auto pending = pending_email(call.lease, call.user())) {
        data.show("PENDING").set("PENDING_EMAIL", *pending);
    }
    if (form.password_needed) data.show("PASSWORD_NEEDED");
    const auto avatar = avatar_id(call.lease, call.user());
    data.set("AVATAR_VERSION", avatar.value_or("initials"));
    if (avatar) data.show("AVATAR_SAVED");
    show_error(data, "DISPLAY_NAME_ERROR", form.display_name_error);
    show_error(data, "NEW_EMAIL_ERROR", form.new_email_error);
    show_error(data, "PASSWORD_ERROR", form.password_error);
    show_error(data, "CHANGE_PASSWORD_ERROR", form.change_password_error);
    show_error(data, "NEW_PASSWORD_ERROR", form.new_password_error);
    show_error(data, "AVATAR_ERROR", form.avatar_error);
    return page_answer(call, manage.pages, "profile", data);
}

Response profile_page(Manage& manage, Call& call) { return render_profile(manage, call, {}); }

Response save_display_name(Manage& manage, Call& call) {
    const std::string name = trim(call.form_value("DisplayName"));
    if (std::string error = display_name_error(name); !error.empty()) {
        ProfileForm form;
        form.display_name = call.form_value("DisplayName");
        form.display_name_error = std::move(error);
        return render_profile(manage, call, form);
    }
    set_display_name(call.lease, call.user(), name);
    const FreshToken fresh = fresh_session_token();
    reissue_session(call.lease, call.user(), call.caller().session, fresh.hash,
                    call.caller().antiforgery_key);
    Response response = see_other(profile_path, Notice::name_saved);
    set_session_cookie(response, fresh.token, call.caller().remembered, manage.settings);
    return response;
}

Response end_sessions(Manage&, Call& call) {
    const int ended = end_other_sessions(call.lease, call.user(), std::nullopt);
    log(Level::notice, "signed out everywhere",
        {{"user", call.user().text()}, {"sessions", std::to_string(ended)}});
    Response response = see_other("/auth/login", Notice::sessions_ended);
    clear_session_cookie(response);
    return response;
}

} // namespace usershell
