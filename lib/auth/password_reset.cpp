#include "auth/sign_in.hpp"

#include "auth/cookies.hpp"
#include "auth/password_check.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"
#include "store/users/links.hpp"
#include "store/users/passwords.hpp"

namespace usershell::auth {
namespace {

void require_forgot_password(const Services& services) {
    if (!has_forgot_password(services)) throw not_found();
}

web::Response forgot_form(const Services& services, const pipeline::RequestContext& context,
                          const std::string& email, const Sentence& error) {
    web::PageData data = pipeline::page_frame(context, "Forgot password"_en, "sign_in.js");
    data.set("EMAIL_VALUE", email);
    data.show("ASK");
    pipeline::show_error(data, "ERROR", error);
    return visitor_page(services, context, pages::Page::forgot, std::move(data));
}

web::Response reset_form(const Services& services, const pipeline::RequestContext& context,
                         const std::string& token, const store::OpenReset& open,
                         const Sentence& error) {
    web::PageData data = pipeline::page_frame(
        context, open.invitation ? "Choose a password"_en : "Set a new password"_en, "reset.js");
    data.set("TOKEN", token).set("ACCOUNT", open.normalized_email);
    if (open.invitation) data.show("INVITE").set("INVITED", open.display_name);
    pipeline::show_error(data, "ERROR", error);
    return visitor_page(services, context, pages::Page::reset, std::move(data));
}

/// A link that was used, replaced or has expired: how to get another one.
web::Response stale_reset(const Services& services, const pipeline::RequestContext& context) {
    web::PageData data = pipeline::page_frame(context, "This link no longer works"_en);
    web::PageData& stale = data.show("STALE");
    if (has_forgot_password(services)) stale.show("FORGOT");
    web::Response response = visitor_page(services, context, pages::Page::forgot, std::move(data));
    response.status = 400;
    return response;
}

/// A throttled request gets the same answer: it does not show whether an address is known or under
/// attack.
bool may_ask(pipeline::RequestContext& context, const std::string& normalized) {
    std::vector<store::Throttle> subjects =
        client_throttles("throttle-reset-client", context.request, rules::free_client_reset_asks,
                         rules::max_reset_delay);
    subjects.push_back({crypto::token_hash("throttle-reset", normalized), rules::free_reset_asks,
                        rules::max_reset_delay});
    return !store::take_attempt(context.lease, subjects);
}

} // namespace

web::Response forgot_page(Services& services, pipeline::RequestContext& context) {
    require_forgot_password(services);
    return forgot_form(services, context, "", {});
}

web::Response forgot(Services& services, pipeline::RequestContext& context) {
    require_forgot_password(services);
    const std::string typed = context.form_value("email");
    const auto address = parse_email(trim(typed));
    if (!address) return forgot_form(services, context, typed, "This is not an e-mail address."_en);

    if (may_ask(context, address->normalized)) {
        const std::string token = crypto::base64url(crypto::random_bytes(32));
        const store::Recipient recipient = store::find_recipient(context.lease, *address);
        store::ask_password_reset(
            context.lease, recipient,
            {pages::reset_token_hash(token), rules::reset_link_lifetime, false},
            services.mails->password_reset(recipient.who.user, parse_email(recipient.email).value(),
                                           token, rules::reset_link_lifetime,
                                           services.pages.language_of(context.request)));
    }
    web::PageData data = pipeline::page_frame(context, "Check your mail"_en);
    data.show("SENT").set("ADDRESS", address->shown);
    return visitor_page(services, context, pages::Page::forgot, std::move(data));
}

web::Response reset_page(Services& services, pipeline::RequestContext& context) {
    const std::string token = context.request.query_value("token").value_or("");
    const auto open = store::find_password_reset(context.lease, pages::reset_token_hash(token));
    if (!open) return stale_reset(services, context);
    return reset_form(services, context, token, *open, {});
}

web::Response reset(Services& services, pipeline::RequestContext& context) {
    const std::string token = context.form_value("token");
    const crypto::Secret password = context.form_secret("password");
    const std::string hash_of_token = pages::reset_token_hash(token);
    const auto open = store::find_password_reset(context.lease, hash_of_token);
    if (!open) return stale_reset(services, context);
    if (const Sentence error = services.password_rule.error_in(
            password.reveal(), open->normalized_email, open->display_name);
        !error.empty()) {
        return reset_form(services, context, token, *open, error);
    }
    context.lease.release();
    const std::string hash = services.passwords.take(open->user).hash(password.reveal());
    const auto stamp = store::finish_password_reset(context.lease, hash_of_token, hash);
    if (!stamp) return stale_reset(services, context);
    log(Level::notice, "password reset", {{"user", open->user.text()}});
    // Only the account's owner reads its mail, so this browser counts as known from now on.
    web::Response response = pipeline::see_other("/auth/login", pipeline::Notice::password_reset);
    if (!stamp->empty())
        set_device_cookie(response, services.auth_ring, context.request, {open->user, *stamp});
    return response;
}

} // namespace usershell::auth
