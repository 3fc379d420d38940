#include "auth/sign_in.hpp"

#include "auth/browser_words.hpp"
#include "auth/cookies.hpp"
#include "auth/password_check.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "pipeline/page.hpp"
#include "store/users/passwords.hpp"
#include "store/users/sessions.hpp"
#include "store/users/users.hpp"

#include <algorithm>

namespace usershell::auth {
namespace {

constexpr const char* start_page = "/user/providers";

web::Response login_form(const Services& services, const pipeline::RequestContext& context,
                         const std::string& email, const std::string& return_url,
                         const Sentence& error,
                         std::optional<std::chrono::seconds> wait = std::nullopt) {
    web::PageData data = pipeline::page_frame(context, "Sign in"_en, "sign_in.js");
    if (wait) data.show("WAIT").set("SECONDS", std::to_string(wait->count()));
    data.set("EMAIL_VALUE", email);
    data.set("RETURN_URL", return_url);
    if (has_forgot_password(services)) data.show("FORGOT");
    if (error.empty()) data.show("NEW");
    pipeline::show_error(data, "ERROR", error);
    return visitor_page(services, context, pages::Page::login, std::move(data));
}

/// The form after a throttled attempt: the address stays filled in, and the page counts down.
web::Response waiting_form(const Services& services, const pipeline::RequestContext& context,
                           const std::string& return_url, const Refusal& refusal) {
    const auto wait = refusal.retry_after().value_or(std::chrono::seconds{1});
    web::Response response = login_form(services, context, printable(context.form_value("email")),
                                        return_url, refusal.sentence(), wait);
    response.status = refusal.status();
    response.set("Retry-After", std::to_string(wait.count()));
    return response;
}

/// Gives the browser a session by that sign-in, and the cookies of both.
web::Response begin_session(const Services& services, pipeline::RequestContext& context,
                            const store::SignIn& sign_in, const std::string& return_url,
                            bool remembered) {
    const FreshSession fresh = fresh_session();
    const Settings& settings = services.settings;
    store::start_session(context.lease, sign_in,
                         {crypto::random_id<SessionId>(), fresh.keys, remembered,
                          settings.session_idle, settings.session_absolute,
                          browser_of(context.request), context.request.client_address});
    log(Level::notice, "signed in",
        {{"user", sign_in.who.user.text()}, {"client", context.request.client_address}});
    web::Response response = web::Response::redirect(302, return_url);
    set_session_cookies(response, fresh,
                        remembered ? std::optional{settings.session_absolute} : std::nullopt);
    set_device_cookie(response, services.auth_ring, sign_in.who);
    clear_visitor_cookie(response);
    return response;
}

} // namespace

std::string local_return_url(const std::string& url) {
    const bool one_slash = url.starts_with('/') && !url.starts_with("//");
    const bool plain = is_visible_ascii(url) && url.find('\\') == std::string::npos;
    return one_slash && plain && url.size() <= 2048 ? url : start_page;
}

bool has_forgot_password(const Services& services) {
    return services.settings.forgot_password && services.settings.mail_configured();
}

web::Response visitor_page(const Services& services, const pipeline::RequestContext& context,
                           pages::Page page, web::PageData data) {
    const Visitor visitor = visitor_of(services.auth_ring, context.request);
    data.set("ANTIFORGERY", crypto::issue_antiforgery(visitor.antiforgery_key));
    web::Response response = pipeline::page_answer(context, services.pages, page, data);
    if (visitor.cookie) response.set(*visitor.cookie);
    return response;
}

web::Response login_page(Services& services, pipeline::RequestContext& context) {
    const std::string return_url =
        local_return_url(context.request.query_value("returnUrl").value_or(""));
    const bool again = context.request.query_value("again").has_value();
    if (context.signed_in && !again) return web::Response::redirect(302, return_url);
    return login_form(services, context, "", return_url, {});
}

web::Response login(Services& services, pipeline::RequestContext& context) {
    const std::string email = context.form_value("email");
    const crypto::Secret password = context.form_secret("password");
    const std::string return_url = local_return_url(context.form_value("returnUrl"));
    std::optional<store::SignIn> right;
    try {
        right = check_password(services, context, store::Deed::session, email, password);
    } catch (const Refusal& refusal) {
        if (!refusal.retry_after()) throw;
        return waiting_form(services, context, return_url, refusal);
    }
    if (!right) {
        return login_form(services, context, printable(email), return_url,
                          "Wrong e-mail or password."_en);
    }
    if (context.signed_in) store::end_session(context.lease, context.caller().session);
    const std::string remember = context.form_value("rememberMe");
    const bool remembered = remember == "true" || remember == "on" || remember == "1";
    return begin_session(services, context, *right, return_url, remembered);
}

web::Response logout(Services&, pipeline::RequestContext& context) {
    store::end_session(context.lease, context.caller().session);
    web::Response response = web::Response::redirect(302, "/auth/login");
    pipeline::leave_notice(response, pipeline::Notice::signed_out);
    clear_session(response);
    return response;
}

} // namespace usershell::auth
