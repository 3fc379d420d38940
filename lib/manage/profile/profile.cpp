#include "manage/profile/profile.hpp"

#include "base/logging/log.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"
#include "manage/page.hpp"
#include "manage/sign_in/password_check.hpp"
#include "store/users/avatars.hpp"
#include "store/users/email_changes.hpp"
#include "store/users/sessions.hpp"
#include "store/users/users.hpp"

namespace usershell::manage {
namespace {

void show_error(web::PageData& data, const char* section, const std::string& message) {
    if (!message.empty()) data.show(section).say("MESSAGE", message);
}

/// Empty when the name is good.
std::string display_name_error(const std::string& name) {
    return name.empty() ? "Enter a name." : rules::error_in(rules::display_name, name);
}

} // namespace

bool signed_in_recently(const Services& services, const app::RequestContext& context) {
    return context.caller().since_sign_in <= services.settings.recent_sign_in;
}

web::Response render_profile(Services& services, app::RequestContext& context,
                             const ProfileForm& form) {
    web::PageData data = page_frame(context, "Profile", "profile.js");
    data.set("DISPLAY_NAME_VALUE", form.display_name.value_or(context.caller().display_name));
    data.set("CURRENT_EMAIL", context.caller().email);
    data.set("NEW_EMAIL_VALUE", form.new_email);
    if (const auto pending = store::pending_email(context.lease)) {
        data.show("PENDING").set("PENDING_EMAIL", *pending);
    }
    if (!signed_in_recently(services, context)) data.show("PASSWORD_NEEDED");
    const auto avatar = store::avatar_id(context.lease, context.user());
    data.set("AVATAR_VERSION", avatar.value_or("initials"));
    if (avatar) data.show("AVATAR_SAVED");
    data.set("AVATAR_LIMIT", readable_size(rules::max_avatar_bytes));
    show_sessions(context, data);
    show_events(context, data);
    show_error(data, "DISPLAY_NAME_ERROR", form.display_name_error);
    show_error(data, "NEW_EMAIL_ERROR", form.new_email_error);
    show_error(data, "PASSWORD_ERROR", form.password_error);
    show_error(data, "CHANGE_PASSWORD_ERROR", form.change_password_error);
    show_error(data, "NEW_PASSWORD_ERROR", form.new_password_error);
    show_error(data, "AVATAR_ERROR", form.avatar_error);
    data.set("DELETE_EMAIL_VALUE", form.delete_email);
    show_error(data, "DELETE_EMAIL_ERROR", form.delete_email_error);
    show_error(data, "DELETE_PASSWORD_ERROR", form.delete_password_error);
    return page_answer(context, services.pages, app::Page::profile, data);
}

web::Response profile_page(Services& services, app::RequestContext& context) {
    return render_profile(services, context, {});
}

web::Response save_display_name(Services& services, app::RequestContext& context) {
    const std::string name = trim(context.form_value("DisplayName"));
    if (std::string error = display_name_error(name); !error.empty()) {
        ProfileForm form;
        form.display_name = context.form_value("DisplayName");
        form.display_name_error = std::move(error);
        return render_profile(services, context, form);
    }
    store::set_display_name(context.lease, context.user(), name);
    const FreshSession fresh = renewed_session(context.caller());
    store::reissue_session(context.lease, fresh.keys);
    web::Response response = see_other(profile_path, Notice::name_saved);
    set_session_cookies(response, fresh, context.caller().remembered, services.settings);
    return response;
}

web::Response change_password(Services& services, app::RequestContext& context) {
    const crypto::Secret current = context.form_secret("CurrentPassword");
    const crypto::Secret fresh = context.form_secret("NewPassword");
    ProfileForm form;
    form.new_password_error = services.password_rule.error_in(
        fresh.reveal(), context.caller().email, context.caller().display_name);
    if (!form.new_password_error.empty()) return render_profile(services, context, form);
    const auto verified = check_own_password(services, context, current);
    if (!verified) {
        form.change_password_error = "That is not your password.";
        return render_profile(services, context, form);
    }
    context.lease.release();
    const std::string hash = services.passwords.take(verified->user).hash(fresh.reveal());
    const FreshSession session = fresh_session();
    const auto stamp = store::change_password(context.lease, verified->stamp, hash, session.keys);
    if (!stamp) return web::Response::redirect(302, "/auth/login"); // changed in another browser
    log(Level::notice, "password changed", {{"user", context.user().text()}});
    return go_on_signed_in(services, context, session, *stamp, Notice::password_changed);
}

web::Response go_on_signed_in(Services& services, app::RequestContext& context,
                              const FreshSession& session, const std::string& stamp,
                              Notice notice) {
    web::Response response = see_other(profile_path, notice);
    set_session_cookies(response, session, context.caller().remembered, services.settings);
    set_device_cookie(response, services.web_ring, {context.user(), stamp});
    return response;
}

} // namespace usershell::manage
