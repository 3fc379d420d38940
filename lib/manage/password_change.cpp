#include "manage/password_change.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "crypto/token.hpp"
#include "manage/anonymous.hpp"
#include "manage/device_cookie.hpp"
#include "manage/page.hpp"
#include "manage/password_check.hpp"
#include "manage/profile.hpp"
#include "manage/session_cookie.hpp"
#include "store/password_resets.hpp"
#include "store/throttle.hpp"
#include "store/users.hpp"

namespace usershell {
namespace {

constexpr std::chrono::hours reset_lifetime{1};

/// "Forgot password" is there only where a mail can be sent and the operator wants it.
void require_forgot_password(const Manage& manage) {
    if (!manage.settings.forgot_password || !manage.settings.mail_configured()) throw not_found();
}

Response visitor_page(const Manage& manage, const Call& call, const std::string& page,
                      PageData data) {
    const Visitor visitor = visitor_of(manage.web_ring, call.request);
    data.set("ANTIFORGERY", issue_antiforgery(visitor.antiforgery_key));
    Response response = page_answer(call, manage.pages, page, data);
    if (visitor.set_cookie) response.set("Set-Cookie", *visitor.set_cookie);
    return response;
}

Response forgot_form(const Manage& manage, const Call& call, const std::string& email,
                     const std::string& error) {
    PageData data = page_frame(call, "Forgot password");
    data.set("EMAIL_VALUE", email);
    if (!error.empty()) data.show("ERROR").set("MESSAGE", error);
    return visitor_page(manage, call, "forgot", std::move(data));
}

Response reset_form(const Manage& manage, const Call& call, const std::string& token,
                    bool invitation, const std::string& error) {
    PageData data = page_frame(call, invitation ? "Choose a password" : "Set a new password");
    data.set("TOKEN", token);
    if (invitation) data.show("INVITE");
    if (!error.empty()) data.show("ERROR").set("MESSAGE", error);
    return visitor_page(manage, call, "reset", std::move(data));
}

Refusal stale_link() {
    return {Code::invalid_field,
            "This link is not valid any more. Ask for a new one on the sign-in page."};
}

/// Asking too often is answered like asking: nobody learns whether an address is known or under
/// attack.
bool may_ask(Call& call, const std::string& normalized) {
    const Throttle address{token_hash("throttle-reset", normalized), 3, std::chrono::hours{1}};
    const Throttle client{token_hash("throttle-reset-client", call.request.client_address), 10,
                          std::chrono::hours{1}};
    return !take_try(call.lease, {address, client});
}

} // namespace

Response change_password(Manage& manage, Call& call) {
    const std::string current = call.form_value("CurrentPassword");
    const std::string fresh = call.form_value("NewPassword");
    ProfileForm form;
    form.new_password_error = new_password_error(fresh);
    if (form.new_password_error.empty() && !check_own_password(manage, call, current)) {
        form.change_password_error = "That is not your password.";
    }
    if (!form.new_password_error.empty() || !form.change_password_error.empty()) {
        return render_profile(manage, call, form);
    }
    call.lease.give_back();
    const std::string hash = manage.passwords.hash(fresh);
    const FreshToken token = fresh_session_token();
    change_password(call.lease, call.user(), hash, call.caller().session, token.hash,
                    token.antiforgery_key);
    log(Level::notice, "password changed", {{"user", call.user().text()}});
    Response response = see_other(profile_path, Notice::password_changed);
    set_session_cookie(response, token.token, call.caller().remembered, manage.settings);
    return response;
}

Response forgot_page(Manage& manage, Call& call) {
    require_forgot_password(manage);
    return forgot_form(manage, call, "", "");
}

Response forgot(Manage& manage, Call& call) {
    require_forgot_password(manage);
    const std::string typed = call.form_value("email");
    const auto address = parse_email(trim(typed));
    if (!address) return forgot_form(manage, call, typed, "This is not an e-mail address.");

    if (may_ask(call, address->normalized)) {
        const std::string token = base64url(random_bytes(32));
        ask_password_reset(call.lease, address->normalized,
                           {reset_token_hash(token), reset_lifetime, false},
                           manage.mails.password_reset(*address, token));
    }
    PageData data = page_frame(call, "Forgot password");
    data.show("SENT");
    return visitor_page(manage, call, "forgot", std::move(data));
}

Response reset_page(Manage& manage, Call& call) {
    const std::string token = call.request.query_value("token").value_or("");
    const auto open = find_password_reset(call.lease, reset_token_hash(token));
    if (!open) throw stale_link();
    return reset_form(manage, call, token, open->invitation, "");
}

Response reset(Manage& manage, Call& call) {
    const std::string token = call.form_value("token");
    const std::string password = call.form_value("password");
    const std::string hash_of_token = reset_token_hash(token);
    const auto open = find_password_reset(call.lease, hash_of_token);
    if (!open) throw stale_link();
    if (const std::string error = new_password_error(password); !error.empty()) {
        return reset_form(manage, call, token, open->invitation, error);
    }
    call.lease.give_back();
    if (!finish_password_reset(call.lease, hash_of_token, manage.passwords.hash(password)))
        throw stale_link();
    log(Level::notice, "password reset", {{"user", open->user.text()}});
    // Whoever reads the account's mail is its owner: this browser is not one of the strangers who
    // guess.
    Response response = see_other("/auth/login", Notice::password_reset);
    set_device_cookie(response, manage, open->normalized_email);
    return response;
}

} // namespace usershell
