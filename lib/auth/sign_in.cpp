#include "auth/sign_in.hpp"

#include "auth/browser_words.hpp"
#include "auth/cookies.hpp"
#include "auth/factors/pages.hpp"
#include "auth/factors/passkeys.hpp"
#include "auth/factors/proof.hpp"
#include "auth/password_check.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "pipeline/page.hpp"
#include "store/users/factors.hpp"
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

/// The sign-in form's fields besides address and password.
struct Wishes {
    std::string return_url;
    bool remembered;
};

Wishes wishes_of(const pipeline::RequestContext& context) {
    const std::string remember = context.form_value("rememberMe");
    return {local_return_url(context.form_value("returnUrl")),
            remember == "true" || remember == "on" || remember == "1"};
}

/// Gives the browser a session by that sign-in: the response sets the cookies of both.
web::Response begin_session(const Services& services, pipeline::RequestContext& context,
                            const store::SignIn& sign_in, bool remembered, web::Response response) {
    if (context.signed_in) store::end_session(context.lease, context.caller().session);
    const FreshSession fresh = fresh_session();
    const Settings& settings = services.settings;
    store::start_session(context.lease, sign_in,
                         {crypto::random_id<SessionId>(), fresh.keys, remembered,
                          settings.session_idle, settings.session_absolute,
                          browser_of(context.request), context.request.client_address});
    log(Level::notice, "signed in",
        {{"user", sign_in.who.user.text()}, {"client", context.request.client_address}});
    set_session_cookies(response, fresh,
                        remembered ? std::optional{settings.session_absolute} : std::nullopt);
    set_device_cookie(response, services.auth_ring, context.request, sign_in.who);
    clear_visitor_cookie(response);
    return response;
}

PasskeyOwner owner_of(const pipeline::RequestContext& context, const store::SignIn& sign_in,
                      const store::SignInState& state) {
    return {sign_in.who.user, state.email, state.email, visitor_hash(context.request)};
}

/// Asks for a factor that the person has, or for a new one that the policy wants.
void ask_for_factor(const Services& services, pipeline::RequestContext& context,
                    const store::SignIn& sign_in, const store::SignInState& state,
                    web::PageData& data) {
    if (!state.is_proven) {
        offer_passkeys(data, store::passkeys_of(context.lease, sign_in));
        data.show(state.app ? "ASK" : "ASK_PASSKEY");
        data.show("CODES").show("ASKED");
        return;
    }
    ask_for_passkey(data.show("NEW_PASSKEY"), services, context, owner_of(context, sign_in, state));
    if (state.lacking == store::Lacking::passkey) {
        data.show("ENROL_PASSKEY");
        return;
    }
    show_app_secret(data.show("ENROL"), services, state.email,
                    app_secret(context.form_value("Secret")));
    data.show("CODES");
}

/// After a right password: asks for the second factor, or has the person add one.
web::Response factor_form(const Services& services, pipeline::RequestContext& context,
                          const store::SignIn& sign_in, const store::SignInState& state,
                          const Wishes& wishes, const Sentence& error) {
    web::PageData data = pipeline::page_frame(context, "Second factor"_en, "sign_in.js");
    data.set("USER_ID", sign_in.who.user.text()).set("SIGN_IN_ID", sign_in.id.text());
    data.set("RETURN_URL", wishes.return_url);
    if (wishes.remembered) data.show("REMEMBERED");
    ask_for_factor(services, context, sign_in, state, data);
    pipeline::show_error(data, "ERROR", error);
    return visitor_page(services, context, pages::Page::factor, std::move(data));
}

/// Adds what the policy wants, by which the sign-in becomes enough.
web::Response enrol(Services& services, pipeline::RequestContext& context,
                    const store::SignIn& sign_in, const store::SignInState& state,
                    const Wishes& wishes) {
    const auto again = [&](const Sentence& error) {
        return factor_form(services, context, sign_in, state, wishes, error);
    };
    std::variant<store::NewApp, store::NewPasskey> factor;
    if (const auto secret = context.form_value("Secret"); !secret.empty()) {
        factor =
            new_app(services, sign_in.who.user, app_secret(secret), context.form_value("Code"));
    } else {
        const bool is_brought = context.form.fields.contains("NewClientData");
        auto made = made_passkey(services, context, owner_of(context, sign_in, state));
        if (!made) return again(is_brought ? Sentence{not_made} : Sentence{});
        made->name = device_name(services, context);
        factor = std::move(*made);
    }
    const RecoveryCodes codes = new_recovery_codes();
    const auto start = store::add_factor(context.lease, sign_in, factor, codes.hashes, false);
    if (start == store::FactorStart::wrong) return again(wrong_code);
    if (start == store::FactorStart::ended) return web::Response::redirect(302, "/auth/login");
    log(Level::notice, "second factor added", {{"user", sign_in.who.user.text()}});
    return begin_session(services, context, sign_in, wishes.remembered,
                         start == store::FactorStart::first
                             ? recovery_page(services, context, codes, wishes.return_url)
                             : web::Response::redirect(302, wishes.return_url));
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
    data.set("CHALLENGE", sign_in_challenge(services, visitor.hash));
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
    const Wishes wishes = wishes_of(context);
    std::optional<store::SignIn> right;
    try {
        right = has_passkey(context)
                    ? show_passkey(services, context, store::Deed::session)
                    : check_password(services, context, store::Deed::session, email, password);
    } catch (const Refusal& refusal) {
        if (!refusal.retry_after()) throw;
        return waiting_form(services, context, wishes.return_url, refusal);
    }
    if (!right) {
        return login_form(services, context, printable(email), wishes.return_url,
                          has_passkey(context) ? refused_passkey : "Wrong e-mail or password."_en);
    }
    const auto state =
        right->is_enough ? std::nullopt : store::sign_in_state(context.lease, *right);
    if (state) return factor_form(services, context, *right, *state, wishes, {});
    return begin_session(services, context, *right, wishes.remembered,
                         web::Response::redirect(302, wishes.return_url));
}

web::Response factor_page(Services&, pipeline::RequestContext&) {
    return web::Response::redirect(302, "/auth/login");
}

web::Response factor(Services& services, pipeline::RequestContext& context) {
    const Wishes wishes = wishes_of(context);
    const auto user = UserId::parse(context.form_value("user"));
    const auto id = SignInId::parse(context.form_value("signIn"));
    if (!user || !id) throw not_found();
    store::SignIn sign_in{{*user, {}}, *id, visitor_hash(context.request)};
    auto state = store::sign_in_state(context.lease, sign_in);
    if (!state)
        return login_form(services, context, "", wishes.return_url,
                          "That took more than five minutes. Sign in again."_en);
    sign_in.who.stamp = state->stamp;
    if (state->is_proven && state->lacking)
        return enrol(services, context, sign_in, *state, wishes);
    const Sentence error = show_factor(services, context, store::Deed::session, sign_in, *state);
    if (!error.empty()) return factor_form(services, context, sign_in, *state, wishes, error);
    if (state->lacking) {
        state->is_proven = true;
        return factor_form(services, context, sign_in, *state, wishes, {});
    }
    return begin_session(services, context, sign_in, wishes.remembered,
                         web::Response::redirect(302, wishes.return_url));
}

web::Response logout(Services&, pipeline::RequestContext& context) {
    store::end_session(context.lease, context.caller().session);
    web::Response response = web::Response::redirect(302, "/auth/login");
    pipeline::leave_notice(response, pipeline::Notice::signed_out);
    clear_session(response, context.form_value("KeepStored") == "yes");
    return response;
}

} // namespace usershell::auth
