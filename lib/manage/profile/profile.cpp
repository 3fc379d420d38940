#include "manage/profile/profile.hpp"

#include "base/text.hpp"
#include "domain/rules.hpp"
#include "pipeline/guard.hpp"
#include "pipeline/page.hpp"
#include "store/users/links.hpp"
#include "store/users/users.hpp"

namespace usershell::manage {
namespace {

/// Empty when the name is good.
Sentence display_name_error(const std::string& name) {
    return name.empty() ? "Enter a name."_en : rules::error_in(rules::display_name, name);
}

} // namespace

web::Response render_profile(Services& services, pipeline::RequestContext& context,
                             const ProfileForm& form) {
    web::PageData data = pipeline::page_frame(context, "Profile"_en, "profile.js");
    data.set("DISPLAY_NAME_VALUE", form.display_name.value_or(context.caller().display_name));
    data.set("CURRENT_EMAIL", context.caller().email);
    if (const auto pending = store::pending_email(context.lease)) {
        data.show("PENDING").set("PENDING_EMAIL", *pending);
    }
    const auto avatar = store::avatar_id(context.lease, context.user());
    data.set("AVATAR_VERSION", avatar.value_or("initials"));
    if (avatar) data.show("AVATAR_SAVED");
    data.set("AVATAR_LIMIT", readable_size(rules::max_avatar_bytes));
    pipeline::show_error(data, "DISPLAY_NAME_ERROR", form.display_name_error);
    pipeline::show_error(data, "AVATAR_ERROR", form.avatar_error);
    return pipeline::page_answer(context, services.pages, pages::Page::profile, data);
}

web::Response profile_page(Services& services, pipeline::RequestContext& context) {
    return render_profile(services, context, {});
}

web::Response save_display_name(Services& services, pipeline::RequestContext& context) {
    const std::string name = tidy_name(context.form_value("DisplayName"));
    if (Sentence error = display_name_error(name); !error.empty()) {
        ProfileForm form;
        form.display_name = context.form_value("DisplayName");
        form.display_name_error = std::move(error);
        return render_profile(services, context, form);
    }
    store::set_display_name(context.lease, context.user(), name);
    web::Response response = pipeline::see_other(profile_path, pipeline::Notice::name_saved);
    // The same token again, for as long as it lasts: the database is asked for the name each time.
    const auto own = pipeline::session_cookie(pipeline::Pool::manage);
    response.set({own, std::string{context.request.cookie(own).value_or("")},
                  context.caller().cookie_lifetime});
    return response;
}

} // namespace usershell::manage
