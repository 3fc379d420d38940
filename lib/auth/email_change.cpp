#include "auth/security.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/email.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"
#include "store/users/links.hpp"
#include "store/users/passwords.hpp"

namespace usershell::auth {
namespace {

constexpr const char* token_purpose = "email-change";

/// The token is bound to its user and address as well: what is stored is a hash over all three.
std::string bound_hash(const UserId& user, const std::string& normalized,
                       const std::string& token) {
    return crypto::token_hash(token_purpose, user.text() + "\n" + normalized + "\n" + token);
}

std::string confirm_link(const Services& services, const UserId& user, const EmailAddress& address,
                         const std::string& token) {
    return services.settings.base_url +
           "/user/settings/profile/confirm-email-change?userId=" + user.text() +
           "&email=" + percent_encoded(address.shown) + "&token=" + token;
}

bool is_prefetch(const web::Request& request) {
    const auto purposes = {request.header("sec-purpose"), request.header("purpose")};
    for (const auto& value : purposes) {
        if (value && value->find("prefetch") != std::string_view::npos) return true;
    }
    return false;
}

/// A link that was used, replaced or has expired, or is another person's.
web::Response stale_link(const Services& services, const pipeline::RequestContext& context) {
    web::PageData data = pipeline::page_frame(context, "This link no longer works"_en);
    data.show("STALE");
    web::Response response =
        pipeline::page_answer(context, services.pages, pages::Page::confirm, data);
    response.status = 400;
    return response;
}

/// Starts the change: the mail is queued, and the answer confirms it or says why not.
web::Response start_change(Services& services, pipeline::RequestContext& context,
                           const store::SignIn& sign_in, const EmailAddress& address,
                           const SecurityForm& form) {
    const std::string token = crypto::base64url(crypto::random_bytes(32));
    const store::QueuedMail mail = services.mails->confirm_email(
        context.user(), address, confirm_link(services, context.user(), address, token),
        rules::email_link_lifetime, services.pages.language_of(context.request));
    const store::EmailChange change{address, bound_hash(context.user(), address.normalized, token),
                                    rules::email_link_lifetime};
    switch (store::start_email_change(context.lease, sign_in.id, change, mail)) {
    case store::ChangeStart::started:
        return pipeline::see_other(security_path, pipeline::Notice::email_change_started);
    case store::ChangeStart::address_unusable:
        log(Level::notice, "address change refused: in use", {{"user", context.user().text()}});
        return render_security(services, context, form,
                               {"NEW_EMAIL_ERROR", "This address cannot be used."_en});
    case store::ChangeStart::session_ended:
        return web::Response::redirect(302, "/auth/login");
    case store::ChangeStart::too_many_attempts:
        break;
    }
    log(Level::notice, "address change refused: too many tries", {{"user", context.user().text()}});
    throw Refusal{ErrorCode::rate_limited, "Too many changes of address. Try again in an hour."_en}
        .retry_after(std::chrono::hours{1});
}

/// A link followed on another site's page, or in a mail that a web site shows: its author
/// chose the moment, so the person is asked first, on a page of ours.
web::Response ask_first(const Services& services, pipeline::RequestContext& context,
                        const EmailAddress& address) {
    const auto pending = store::pending_email(context.lease);
    const auto theirs = pending ? parse_email(*pending) : std::nullopt;
    if (!theirs || theirs->normalized != address.normalized) return stale_link(services, context);
    web::PageData data = pipeline::page_frame(context, "Confirm your new address"_en);
    web::PageData& ask = data.show("ASK");
    ask.set("NEW_EMAIL", theirs->shown);
    ask.set("LINK", context.request.path + "?" + std::string{context.request.query});
    web::Response response =
        pipeline::page_answer(context, services.pages, pages::Page::confirm, data);
    response.status = 400;
    return response;
}

} // namespace

web::Response start_email_change(Services& services, pipeline::RequestContext& context) {
    SecurityForm form;
    form.new_email = context.form_value("NewEmail");
    const auto address = parse_email(trim(form.new_email));
    const auto refused = security_again(services, context, form);
    if (!address)
        return refused({"NEW_EMAIL_ERROR", trim(form.new_email).empty()
                                               ? "Enter an address."_en
                                               : "This is not an e-mail address."_en});
    if (!services.settings.mail_configured())
        return refused(
            {"NEW_EMAIL_ERROR", "This service can’t send mail. Ask your administrator."_en});
    return by_proof(services, context, context.form_value("Again").empty() ? "email" : "pending",
                    refused, [&](const store::SignIn& sign_in) -> AfterProof {
                        return {start_change(services, context, sign_in, *address, form)};
                    });
}

web::Response confirm_email_change(Services& services, pipeline::RequestContext& context) {
    if (context.request.method == web::Method::head || is_prefetch(context.request))
        return web::Response::no_content();
    const auto user = context.request.query_value("userId");
    const auto address = parse_email(context.request.query_value("email").value_or(""));
    const auto token = context.request.query_value("token");
    if (!address || !token || user != context.user().text()) return stale_link(services, context);
    if (context.request.header("sec-fetch-site") == "cross-site")
        return ask_first(services, context, *address);

    const FreshSession fresh = fresh_session();
    std::optional<store::QueuedMail> notice;
    if (services.mails && services.settings.notify_old_address) {
        notice = services.mails->email_changed(context.user(), context.caller().display_name,
                                               context.caller().email, address->shown,
                                               services.pages.language_of(context.request));
    }
    const store::EmailConfirmation confirmation{
        address->normalized, bound_hash(context.user(), address->normalized, *token), fresh.keys};
    const auto stamp = store::confirm_email_change(context.lease, confirmation, notice);
    if (!stamp) return stale_link(services, context);
    log(Level::notice, "address changed", {{"user", context.user().text()}});
    return go_on_signed_in(services, context, fresh, *stamp, pipeline::Notice::email_changed);
}

} // namespace usershell::auth
