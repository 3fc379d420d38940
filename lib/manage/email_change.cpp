#include "manage/email_change.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "manage/page.hpp"
#include "manage/password_check.hpp"
#include "manage/profile.hpp"
#include "manage/session_cookie.hpp"
#include "store/email_changes.hpp"

namespace usershell {
namespace {

constexpr std::chrono::hours link_lifetime{24};
constexpr const char* purpose = "email-change";

/// The token is bound to its user and address as well: what is stored is a hash over all three.
std::string bound_hash(const UserId& user, const std::string& normalized,
                       const std::string& token) {
    return token_hash(purpose, user.text() + "\n" + normalized + "\n" + token);
}

std::string confirm_link(const Manage& manage, const UserId& user, const EmailAddress& address,
                         const std::string& token) {
    return manage.settings.base_url + profile_path + "/confirm-email-change?userId=" + user.text() +
           "&email=" + percent_encoded(address.shown) + "&token=" + token;
}

bool is_prefetch(const Request& request) {
    const auto purposes = {request.header("sec-purpose"), request.header("purpose")};
    for (const auto& value : purposes) {
        if (value && value->find("prefetch") != std::string::npos) return true;
    }
    return false;
}

Refusal stale_link() {
    return {Code::invalid_field,
            "This link is not valid any more. Start the change of address again."};
}

/// An old sign-in is made recent by the password; false when the form has to ask (again).
bool recent_enough(Manage& manage, Call& call, ProfileForm& form) {
    if (call.caller().since_sign_in <= manage.settings.recent_sign_in) return true;
    form.password_needed = true;
    const std::string password = call.form_value("CurrentPassword");
    if (password.empty()) {
        form.password_error = "You signed in a while ago. Enter your password to go on.";
        return false;
    }
    if (check_own_password(manage, call, password)) return true;
    form.password_error = "That is not your password.";
    return false;
}

} // namespace

Response start_email_change(Manage& manage, Call& call) {
    ProfileForm form;
    form.new_email = call.form_value("NewEmail");
    const auto address = parse_email(trim(form.new_email));
    if (!address) {
        form.new_email_error =
            trim(form.new_email).empty() ? "Enter an address." : "This is not an e-mail address.";
        return render_profile(manage, call, form);
    }
    if (!manage.settings.mail_configured()) {
        form.new_email_error = "This service can't send mail. Ask whoever runs it.";
        return render_profile(manage, call, form);
    }
    if (!recent_enough(manage, call, form)) return render_profile(manage, call, form);

    const std::string token = base64url(random_bytes(32));
    const QueuedMail mail =
        manage.mails.confirm_email(*address, confirm_link(manage, call.user(), *address, token));
    const EmailChange change{*address, bound_hash(call.user(), address->normalized, token),
                             link_lifetime};
    switch (start_email_change(call.lease, call.user(), change, mail)) {
    case ChangeStart::started:
        return see_other(profile_path, Notice::email_change_started);
    case ChangeStart::address_unusable:
        log(Level::notice, "address change refused: in use", {{"user", call.user().text()}});
        form.new_email_error = "This address cannot be used.";
        return render_profile(manage, call, form);
    case ChangeStart::too_many_tries:
        break;
    }
    log(Level::notice, "address change refused: too many tries", {{"user", call.user().text()}});
    throw Refusal{Code::rate_limited, "Too many changes of address. Try again in an hour."}
        .retry_after(std::chrono::hours{1});
}

Response cancel_email_change(Manage&, Call& call) {
    cancel_email_change(call.lease, call.user());
    return see_other(profile_path, Notice::email_change_cancelled);
}

Response confirm_email_change(Manage& manage, Call& call) {
    if (call.request.method == Method::head || is_prefetch(call.request))
        return Response::no_content();
    const auto user = call.request.query_value("userId");
    const auto address = parse_email(call.request.query_value("email").value_or(""));
    const auto token = call.request.query_value("token");
    if (!address || !token || user != call.user().text()) throw stale_link();

    const FreshToken fresh = fresh_session_token();
    std::optional<QueuedMail> notice;
    if (manage.settings.notify_old_address) {
        notice = manage.mails.email_changed(call.caller().display_name, call.caller().email,
                                            address->shown);
    }
    const EmailConfirmation confirmation{address->normalized,
                                         bound_hash(call.user(), address->normalized, *token),
                                         call.caller().session, fresh.hash, fresh.antiforgery_key};
    if (!confirm_email_change(call.lease, call.user(), confirmation, notice)) throw stale_link();
    log(Level::notice, "address changed", {{"user", call.user().text()}});
    Response response = see_other(profile_path, Notice::email_changed);
    set_session_cookie(response, fresh.token, call.caller().remembered, manage.settings);
    return response;
}

} // namespace usershell
