#include "manage/profile/profile.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/rules.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "manage/page.hpp"
#include "manage/sign_in/cookies.hpp"
#include "manage/sign_in/password_check.hpp"
#include "store/users/email_changes.hpp"

namespace usershell::manage {
namespace {

constexpr const char* purpose = "email-change";

/// The token is bound to its user and address as well: what is stored is a hash over all three.
std::string bound_hash(const UserId& user, const std::string& normalized,
                       const std::string& token) {
    return crypto::token_hash(purpose, user.text() + "\n" + normalized + "\n" + token);
}

std::string confirm_link(const Services& services, const UserId& user, const EmailAddress& address,
                         const std::string& token) {
    return services.settings.base_url + profile_path +
           "/confirm-email-change?userId=" + user.text() +
           "&email=" + percent_encoded(address.shown) + "&token=" + token;
}

bool is_prefetch(const web::Request& request) {
    const auto purposes = {request.header("sec-purpose"), request.header("purpose")};
    for (const auto& value : purposes) {
        if (value && value->find("prefetch") != std::string_view::npos) return true;
    }
    return false;
}

Refusal stale_link() {
    return {ErrorCode::invalid_field,
            "This link is not valid any more. Start the change of address again."};
}

/// An old sign-in is made recent by the password; false when the form has to ask (again).
bool recent_enough(Services& services, app::RequestContext& context, ProfileForm& form) {
    if (context.caller().since_sign_in <= services.settings.recent_sign_in) return true;
    form.password_needed = true;
    const crypto::Secret password = context.form_secret("CurrentPassword");
    if (password.empty()) {
        form.password_error = "You signed in a while ago. Enter your password to go on.";
        return false;
    }
    if (check_own_password(services, context, password)) return true;
    form.password_error = "That is not your password.";
    return false;
}

} // namespace

web::Response start_email_change(Services& services, app::RequestContext& context) {
    ProfileForm form;
    form.new_email = context.form_value("NewEmail");
    const auto address = parse_email(trim(form.new_email));
    if (!address) {
        form.new_email_error =
            trim(form.new_email).empty() ? "Enter an address." : "This is not an e-mail address.";
        return render_profile(services, context, form);
    }
    if (!services.settings.mail_configured()) {
        form.new_email_error = "This service can't send mail. Ask whoever runs it.";
        return render_profile(services, context, form);
    }
    if (!recent_enough(services, context, form)) return render_profile(services, context, form);

    const std::string token = crypto::base64url(crypto::random_bytes(32));
    const store::QueuedMail mail = services.mails->confirm_email(
        context.user(), *address, confirm_link(services, context.user(), *address, token),
        rules::email_link_lifetime);
    const store::EmailChange change{*address,
                                    bound_hash(context.user(), address->normalized, token),
                                    rules::email_link_lifetime};
    switch (store::start_email_change(context.lease, context.user(), change, mail)) {
    case store::ChangeStart::started:
        return see_other(profile_path, Notice::email_change_started);
    case store::ChangeStart::address_unusable:
        log(Level::notice, "address change refused: in use", {{"user", context.user().text()}});
        form.new_email_error = "This address cannot be used.";
        return render_profile(services, context, form);
    case store::ChangeStart::too_many_attempts:
        break;
    }
    log(Level::notice, "address change refused: too many tries", {{"user", context.user().text()}});
    throw Refusal{ErrorCode::rate_limited, "Too many changes of address. Try again in an hour."}
        .retry_after(std::chrono::hours{1});
}

web::Response cancel_email_change(Services&, app::RequestContext& context) {
    store::cancel_email_change(context.lease, context.user());
    return see_other(profile_path, Notice::email_change_cancelled);
}

web::Response confirm_email_change(Services& services, app::RequestContext& context) {
    if (context.request.method == web::Method::head || is_prefetch(context.request))
        return web::Response::no_content();
    const auto user = context.request.query_value("userId");
    const auto address = parse_email(context.request.query_value("email").value_or(""));
    const auto token = context.request.query_value("token");
    if (!address || !token || user != context.user().text()) throw stale_link();

    const FreshToken fresh = fresh_session_token();
    std::optional<store::QueuedMail> notice;
    if (services.mails && services.settings.notify_old_address) {
        notice = services.mails->email_changed(context.user(), context.caller().display_name,
                                               context.caller().email, address->shown);
    }
    const store::EmailConfirmation confirmation{
        address->normalized, bound_hash(context.user(), address->normalized, *token),
        context.caller().session, fresh.hash, fresh.antiforgery_key};
    if (!store::confirm_email_change(context.lease, context.user(), confirmation, notice))
        throw stale_link();
    log(Level::notice, "address changed", {{"user", context.user().text()}});
    web::Response response = see_other(profile_path, Notice::email_changed);
    set_session_cookie(response, fresh.token, context.caller().remembered, services.settings);
    return response;
}

} // namespace usershell::manage
