#include "manage/auth.hpp"

#include "base/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "manage/anonymous.hpp"
#include "manage/device_cookie.hpp"
#include "manage/page.hpp"
#include "manage/password_check.hpp"
#include "manage/session_cookie.hpp"
#include "store/sessions.hpp"
#include "store/users.hpp"

#include <algorithm>

namespace usershell {
namespace {

constexpr const char* start_page = "/user/providers";

Response login_form(const Manage& manage, const Call& call, const std::string& email,
                    const std::string& return_url, const std::string& error) {
    PageData data = page_frame(call, "Sign in");
    const Visitor visitor = visitor_of(manage.web_ring, call.request);
    data.set("ANTIFORGERY", issue_antiforgery(visitor.antiforgery_key));
    data.set("EMAIL_VALUE", email);
    data.set("RETURN_URL", return_url);
    if (manage.settings.forgot_password && manage.settings.mail_configured()) data.show("FORGOT");
    if (!error.empty()) data.show("ERROR").set("MESSAGE", error);
    Response response = page_answer(call, manage.pages, "login", data);
    if (visitor.set_cookie) response.set("Set-Cookie", *visitor.set_cookie);
    return response;
}

std::string begin_session(const Manage& manage, Lease& lease, const UserId& user, bool remembered) {
    const FreshToken fresh = fresh_session_token();
    start_session(lease, user,
                  {random_id<SessionId>(), fresh.hash, fresh.antiforgery_key, remembered,
                   manage.settings.session_idle, manage.settings.session_absolute});
    return fresh.token;
}

void raise_password_cost(const Manage& manage, Lease& lease, const Credentials& credentials,
                         const std::string& password) {
    if (!manage.passwords.needs_rehash(credentials.password_hash)) return;
    set_password_hash(lease, credentials.user, manage.passwords.hash(password));
}

} // namespace

std::string local_return_url(const std::string& url) {
    const bool one_slash = url.starts_with('/') && !url.starts_with("//");
    const bool plain =
        std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; });
    return one_slash && plain && url.size() <= 2048 ? url : start_page;
}

Response login_page(Manage& manage, Call& call) {
    const std::string return_url =
        local_return_url(call.request.query_value("returnUrl").value_or(""));
    if (call.signed_in) return Response::redirect(302, return_url);
    return login_form(manage, call, "", return_url, "");
}

Response login(Manage& manage, Call& call) {
    const std::string email = call.form_value("email");
    const std::string password = call.form_value("password");
    const std::string return_url = local_return_url(call.form_value("returnUrl"));
    const auto credentials = check_password(manage, call, email, password);
    if (!credentials) {
        return login_form(manage, call, printable(email), return_url,
                          "The address or the password is not right.");
    }
    if (call.signed_in) {
        call.lease.act_as(call.user());
        end_session(call.lease, call.user(), call.caller().session);
    }
    call.lease.act_as(credentials->user);
    raise_password_cost(manage, call.lease, *credentials, password);
    const std::string remember = call.form_value("rememberMe");
    const bool remembered = remember == "true" || remember == "on" || remember == "1";
    const std::string token = begin_session(manage, call.lease, credentials->user, remembered);
    log(Level::notice, "signed in",
        {{"user", credentials->user.text()}, {"client", call.request.client_address}});
    Response response = Response::redirect(302, return_url);
    set_session_cookie(response, token, remembered, manage.settings);
    set_device_cookie(response, manage, parse_email(trim(email))->normalized);
    response.set("Set-Cookie", clear_visitor_cookie());
    return response;
}

Response logout(Manage&, Call& call) {
    end_session(call.lease, call.user(), call.caller().session);
    Response response = Response::redirect(302, "/auth/login");
    clear_session_cookie(response);
    return response;
}

} // namespace usershell
