#include "auth/factors/pages.hpp"

#include "auth/browser_words.hpp"
#include "auth/factors/passkeys.hpp"
#include "auth/factors/proof.hpp"
#include "auth/security.hpp"
#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "base/timestamp.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"

#include <algorithm>
#include <array>

namespace usershell::auth {
namespace {

constexpr const char* factors_path = "/user/settings/security#factor";

web::Response app_form(Services& services, pipeline::RequestContext& context,
                       const std::string& secret, const FieldError& error) {
    web::PageData data =
        pipeline::page_frame(context, "Set up an authenticator app"_en, "codes.js");
    show_app_secret(data, services, context.caller().email, secret);
    show_proof(services, context, data);
    data.set("CURRENT_EMAIL", context.caller().email);
    pipeline::show_error(data, error.first, error.second);
    return pipeline::page_answer(context, services.pages, pages::Page::app, data);
}

PasskeyOwner owner_of(const store::Caller& caller) {
    return {caller.user, caller.email, caller.display_name, caller.session.text()};
}

web::Response passkey_form(Services& services, pipeline::RequestContext& context,
                           const FieldError& error) {
    web::PageData data = pipeline::page_frame(context, "Add a passkey"_en, "codes.js");
    const bool is_new = context.request.method == web::Method::get;
    data.set("NAME_VALUE", is_new ? device_name(services, context) : context.form_value("Name"));
    ask_for_passkey(data, services, context, owner_of(context.caller()));
    show_proof(services, context, data);
    pipeline::show_error(data, error.first, error.second);
    return pipeline::page_answer(context, services.pages, pages::Page::passkey, data);
}

void show_passkey_rows(web::PageData& data, const std::vector<store::OwnPasskey>& passkeys) {
    for (const store::OwnPasskey& each : passkeys) {
        web::PageData& row = data.show("PASSKEY");
        row.set("PASSKEY_ID", each.id.text()).set("PASSKEY_NAME", each.name);
        row.set("MADE", rfc3339_seconds(each.made_at)).set("MADE_TEXT", readable(each.made_at));
        if (each.is_synced) row.show("SYNCED");
        if (!each.last_used_at) continue;
        row.show("USED")
            .set("USED_AT", rfc3339_seconds(*each.last_used_at))
            .set("USED_TEXT", readable(*each.last_used_at));
    }
}

/// Once a factor was added, but for what is a fault of its form.
AfterProof factor_added(const Services& services, pipeline::RequestContext& context,
                        store::FactorStart start, const RecoveryCodes& codes,
                        pipeline::Notice notice) {
    if (start == store::FactorStart::ended) return session_ended();
    log(Level::notice, "second factor added", {{"user", context.user().text()}});
    if (start == store::FactorStart::first)
        return {recovery_page(services, context, codes, factors_path)};
    return {pipeline::see_other(security_path, notice)};
}

} // namespace

void show_factors(const Services& services, pipeline::RequestContext& context,
                  web::PageData& data) {
    const store::OwnFactors own = show_proof(services, context, data);
    show_passkey_rows(data, own.passkeys);
    if (own.app_made_at)
        data.show("APP")
            .set("MADE", rfc3339_seconds(*own.app_made_at))
            .set("MADE_TEXT", readable(*own.app_made_at));
    else
        data.show("NO_APP");
    if (own.any())
        data.show("FACTORS").set("CODES_LEFT", std::to_string(own.recovery_codes));
    else
        data.show("NO_FACTOR");
    if (own.lacking)
        data.show(own.lacking == store::Lacking::factor ? "FACTOR_REQUIRED" : "PASSKEY_REQUIRED");
}

web::Response recovery_page(const Services& services, const pipeline::RequestContext& context,
                            const RecoveryCodes& codes, const std::string& next) {
    web::PageData data = pipeline::page_frame(context, "Your recovery codes"_en, "codes.js");
    for (const std::string& text : codes.texts) data.show("RECOVERY_CODE").set("TEXT", text);
    data.set("NEXT", next);
    return pipeline::page_answer(context, services.pages, pages::Page::recovery, data);
}

web::Response app_page(Services& services, pipeline::RequestContext& context) {
    return app_form(services, context, app_secret({}), {});
}

web::Response add_app(Services& services, pipeline::RequestContext& context) {
    const std::string secret = app_secret(context.form_value("Secret"));
    const std::string code = context.form_value("NewCode");
    const auto refused = [&](const FieldError& error) {
        return app_form(services, context, secret, error);
    };
    if (!std::ranges::all_of(without(code, ' '), is_digit) || code.empty())
        return refused({"NEW_CODE_ERROR", wrong_code});
    return by_proof(
        services, context, "app", refused, [&](const store::SignIn& sign_in) -> AfterProof {
            const RecoveryCodes codes = new_recovery_codes();
            const auto start = store::add_factor(
                context.lease, sign_in, new_app(services, context.user(), secret, code),
                codes.hashes, !context.form_value("EndOthers").empty());
            if (start == store::FactorStart::wrong)
                return {refused({"NEW_CODE_ERROR", wrong_code})};
            return factor_added(services, context, start, codes, pipeline::Notice::app_added);
        });
}

web::Response remove_factor(Services& services, pipeline::RequestContext& context) {
    const std::string chosen = context.form_value("Factor");
    const auto passkey = PasskeyId::parse(chosen);
    if (!passkey && chosen != "app") throw not_found();
    return by_proof(
        services, context, "remove", security_again(services, context),
        [&](const store::SignIn& sign_in) -> AfterProof {
            if (!store::remove_factor(context.lease, sign_in.id, passkey))
                return {web::Response::redirect(303, security_path)}; // the sign-in has ended
            log(Level::notice, "second factor removed", {{"user", context.user().text()}});
            return {pipeline::see_other(security_path, pipeline::Notice::factor_removed)};
        });
}

web::Response make_recovery_codes(Services& services, pipeline::RequestContext& context) {
    return by_proof(
        services, context, "recovery", security_again(services, context),
        [&](const store::SignIn& sign_in) -> AfterProof {
            const RecoveryCodes codes = new_recovery_codes();
            if (!store::make_recovery_codes(context.lease, sign_in.id, codes.hashes))
                return {web::Response::redirect(303, security_path)}; // the last factor is gone
            return {recovery_page(services, context, codes, factors_path)};
        });
}

web::Response passkey_page(Services& services, pipeline::RequestContext& context) {
    return passkey_form(services, context, {});
}

web::Response add_passkey(Services& services, pipeline::RequestContext& context) {
    const auto refused = [&](const FieldError& error) {
        return passkey_form(services, context, error);
    };
    const auto name = printable(trim(context.form_value("Name")));
    if (const Sentence error = rules::error_in(rules::token_name, name); !error.empty())
        return refused({"NAME_ERROR", error});
    auto made = made_passkey(services, context, owner_of(context.caller()));
    if (!made) return refused({"FORM_ERROR", not_made});
    made->name = name;
    return by_proof(
        services, context, "passkey", refused, [&](const store::SignIn& sign_in) -> AfterProof {
            const RecoveryCodes codes = new_recovery_codes();
            const auto start = store::add_factor(context.lease, sign_in, *made, codes.hashes,
                                                 !context.form_value("EndOthers").empty());
            if (start == store::FactorStart::cap_reached)
                return {refused({"FORM_ERROR", "You have ten passkeys. Remove one first."_en})};
            return factor_added(services, context, start, codes, pipeline::Notice::passkey_added);
        });
}

web::Response rename_passkey(Services&, pipeline::RequestContext& context) {
    const std::string name = rules::read(rules::token_name, context.form_value("Name"));
    if (!store::rename_passkey(context.lease, context.id<PasskeyId>("passkeyId"), name))
        throw not_found();
    return pipeline::see_other(security_path, pipeline::Notice::passkey_renamed);
}

} // namespace usershell::auth
