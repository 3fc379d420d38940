#include "auth/security.hpp"

#include "auth/access/token_form.hpp"
#include "auth/factors/pages.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "domain/email.hpp"
#include "store/tokens/access_tokens.hpp"
#include "store/users/links.hpp"
#include "store/users/passwords.hpp"
#include "store/users/users.hpp"

namespace usershell::auth {
namespace {

bool is_own_address(const pipeline::RequestContext& context, const std::string& typed) {
    const auto own = parse_email(context.caller().email);
    const auto given = parse_email(trim(typed));
    return own && given && own->normalized == given->normalized;
}

/// The tokens that a change of the password would end, for the person to choose among.
void show_tokens(pipeline::RequestContext& context, web::PageData& data,
                 const std::set<std::string>& kept) {
    for (const store::AccessToken& token : store::own_tokens(context.lease)) {
        if (!data.sections.contains("TOKENS")) data.show("TOKENS");
        web::PageData& row = data.sections["TOKENS"].front().show("TOKEN");
        row.set("TOKEN_ID", token.id.text()).set("TOKEN_NAME", token.name);
        if (kept.contains(token.id.text())) row.show("KEPT");
    }
}

std::vector<AccessTokenId> tokens_of(const std::set<std::string>& kept) {
    std::vector<AccessTokenId> tokens;
    for (const std::string& text : kept)
        if (const auto id = AccessTokenId::parse(text)) tokens.push_back(*id);
    return tokens;
}

} // namespace

web::Response render_security(Services& services, pipeline::RequestContext& context,
                              const SecurityForm& form, const FieldError& error) {
    web::PageData data = pipeline::page_frame(context, "Security"_en, "security.js");
    data.set("CURRENT_EMAIL", context.caller().email);
    data.set("NEW_EMAIL_VALUE", form.new_email);
    if (const auto pending = store::pending_email(context.lease))
        data.show("PENDING").set("PENDING_EMAIL", *pending);
    show_factors(services, context, data);
    show_links(context, data);
    show_sessions(context, data);
    show_events(context, data);
    if (services.settings.api) show_tokens(context, data, form.kept_tokens);
    data.set("DELETE_EMAIL_VALUE", form.delete_email);
    pipeline::show_error(data, error.first, error.second);
    // A form that was refused is not folded away.
    data.show(error.first.substr(0, error.first.find('_')) + "_open");
    return pipeline::page_answer(context, services.pages, pages::Page::security, data);
}

std::function<web::Response(const FieldError&)>
security_again(Services& services, pipeline::RequestContext& context, const SecurityForm& form) {
    return [&services, &context, form](const FieldError& error) {
        return render_security(services, context, form, error);
    };
}

web::Response security_page(Services& services, pipeline::RequestContext& context) {
    return render_security(services, context, {});
}

web::Response change_password(Services& services, pipeline::RequestContext& context) {
    const crypto::Secret fresh = context.form_secret("NewPassword");
    SecurityForm form;
    if (services.settings.api) form.kept_tokens = ticked(context.form.fields, "Keep");
    if (const Sentence error = services.password_rule.error_in(
            fresh.reveal(), context.caller().email, context.caller().display_name);
        !error.empty())
        return render_security(services, context, form, {"NEW_PASSWORD_ERROR", error});
    const auto right = [&](const store::SignIn& sign_in) -> AfterProof {
        context.lease.release();
        const std::string hash = services.passwords.take(context.user()).hash(fresh.reveal());
        const FreshSession session = fresh_session();
        const auto stamp = store::change_password(context.lease, sign_in.id, hash, session.keys,
                                                  tokens_of(form.kept_tokens));
        if (!stamp) return session_ended(); // changed in another browser
        log(Level::notice, "password changed", {{"user", context.user().text()}});
        return {
            go_on_signed_in(services, context, session, *stamp, pipeline::Notice::password_changed),
            AfterProof::Session::replaced};
    };
    return by_proof(services, context, "change", security_again(services, context, form), right);
}

web::Response delete_own_user(Services& services, pipeline::RequestContext& context) {
    SecurityForm form;
    form.delete_email = context.form_value("ConfirmEmail");
    if (!is_own_address(context, form.delete_email))
        return render_security(
            services, context, form,
            {"DELETE_EMAIL_ERROR", "This is not the address that you sign in with."_en});
    const auto right = [&](const store::SignIn& sign_in) -> AfterProof {
        if (!store::delete_own_user(context.lease, sign_in.id)) return session_ended();
        log(Level::notice, "user deleted", {{"user", context.user().text()}});
        return {signed_out(pipeline::Notice::user_deleted), AfterProof::Session::ended};
    };
    return by_proof(services, context, "delete", security_again(services, context, form), right);
}

web::Response go_on_signed_in(Services& services, pipeline::RequestContext& context,
                              const FreshSession& session, const std::string& stamp,
                              pipeline::Notice notice) {
    web::Response response = pipeline::see_other(security_path, notice);
    set_session_cookies(response, session, context.caller().cookie_lifetime);
    set_device_cookie(response, services.auth_ring, context.request, {context.user(), stamp});
    return response;
}

} // namespace usershell::auth
