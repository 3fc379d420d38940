#include "auth/second_factor.hpp"

#include "auth/browser_words.hpp"
#include "auth/passkey_pages.hpp"
#include "auth/password_check.hpp"
#include "auth/qr_code.hpp"
#include "auth/security.hpp"
#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "base/timestamp.hpp"
#include "crypto/app_mask.hpp"
#include "crypto/token.hpp"
#include "pipeline/page.hpp"

#include <algorithm>

namespace usershell::auth {
namespace {

constexpr std::size_t secret_bytes = 20; // RFC 4226, section 4, R6
constexpr std::size_t salt_bytes = 16;
constexpr std::size_t code_digits = 6;
constexpr std::size_t recovery_bytes = 15;
constexpr std::size_t recovery_letters = 24;
constexpr int recovery_count = 10;
constexpr std::size_t group = 4;

/// "abcd-efgh": easier to copy by hand.
std::string grouped_by(char separator, std::string_view letters) {
    std::string text;
    for (std::size_t at = 0; at < letters.size(); at += group) {
        if (at > 0) text += separator;
        text += letters.substr(at, group);
    }
    return text;
}

/// Without what people type between groups.
std::string plain(std::string_view typed) { return lower_ascii(without(without(typed, ' '), '-')); }

std::optional<std::string> mask_of(const Services& services, const UserId& user,
                                   const store::MaskSource& source) {
    return crypto::app_mask(services.auth_ring, source.ring_key_id, user, source.salt);
}

std::string recovery_hash(std::string_view letters) {
    return crypto::token_hash("recovery-code", letters);
}

Sentence show_app_code(Services& services, pipeline::RequestContext& context,
                       const store::SignIn& sign_in, const store::SignInState& state,
                       const std::string& code) {
    const auto& source = state.app;
    const auto mask = source ? mask_of(services, sign_in.who.user, *source) : std::nullopt;
    if (!mask) return wrong_code;
    const auto verdict =
        store::show_code(context.lease, sign_in, code, *mask, browser_of(context.request));
    if (verdict.right) return {};
    if (!verdict.wait) return wrong_code;
    return {"Too many wrong codes. Use a recovery code, or try again in {minutes} minutes."_en,
            {{"minutes",
              std::to_string(std::chrono::ceil<std::chrono::minutes>(*verdict.wait).count())}}};
}

web::Response app_form(Services& services, pipeline::RequestContext& context,
                       const std::string& secret, const FieldError& error) {
    web::PageData data =
        pipeline::page_frame(context, "Set up an authenticator app"_en, "codes.js");
    show_app_secret(data, services, context.caller().email, secret);
    show_proof(services, context, data);
    data.set("CURRENT_EMAIL", context.caller().email);
    pipeline::show_error(data, error.first.c_str(), error.second);
    return pipeline::page_answer(context, services.pages, pages::Page::app, data);
}

} // namespace

Sentence show_factor(Services& services, pipeline::RequestContext& context, store::Deed deed,
                     const store::SignIn& sign_in, const store::SignInState& state) {
    if (has_passkey(context)) {
        if (show_passkey(services, context, deed, sign_in)) return {};
        return refused_passkey;
    }
    if (state.is_enough) return {}; // by a first attempt, whose answer was lost
    const std::string code = plain(context.form_value("Code"));
    if (code.empty()) return "Enter a code."_en;
    Sentence error = wrong_code;
    if (code.size() == code_digits && std::ranges::all_of(code, is_digit))
        error = show_app_code(services, context, sign_in, state, code);
    else if (code.size() == recovery_letters &&
             store::show_recovery(context.lease, sign_in, recovery_hash(code),
                                  browser_of(context.request)))
        error = {};
    if (!error.empty())
        log(Level::notice, "wrong code",
            {{"user", sign_in.who.user.text()}, {"client", context.request.client_address}});
    return error;
}

RecoveryCodes new_recovery_codes() {
    RecoveryCodes codes;
    for (int i = 0; i < recovery_count; ++i) {
        const std::string letters = base32(crypto::random_bytes(recovery_bytes));
        codes.texts.push_back(grouped_by('-', letters));
        codes.hashes.push_back(recovery_hash(letters));
    }
    return codes;
}

web::Response recovery_page(const Services& services, const pipeline::RequestContext& context,
                            const RecoveryCodes& codes, const std::string& next) {
    web::PageData data = pipeline::page_frame(context, "Your recovery codes"_en, "codes.js");
    for (const std::string& text : codes.texts) data.show("RECOVERY_CODE").set("TEXT", text);
    data.set("NEXT", next);
    return pipeline::page_answer(context, services.pages, pages::Page::recovery, data);
}

std::string app_secret(std::string_view field) {
    const auto brought = crypto::from_base64url(field);
    return brought && brought->size() == secret_bytes ? *brought
                                                      : crypto::random_bytes(secret_bytes);
}

void show_app_secret(web::PageData& data, const Services& services, const std::string& email,
                     const std::string& secret) {
    const std::string host{host_of(services.settings.base_url)};
    const std::string letters = base32(secret);
    const QrCode code =
        qr_code("otpauth://totp/" + percent_encoded(host) + ":" + percent_encoded(email) +
                "?secret=" + upper_ascii(letters) + "&issuer=" + percent_encoded(host));
    data.set("SECRET", crypto::base64url(secret)).set("SECRET_TEXT", grouped_by(' ', letters));
    data.set("QR_PATH", code.path).set("QR_SIZE", std::to_string(code.size));
}

store::NewApp new_app(const Services& services, const UserId& user, const std::string& secret,
                      std::string_view code) {
    store::NewApp app{{services.auth_ring.active.text(), crypto::random_bytes(salt_bytes)},
                      {},
                      secret,
                      without(code, ' ')};
    app.mask = mask_of(services, user, app.source).value();
    return app;
}

namespace {

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

} // namespace

void show_factors(Services& services, pipeline::RequestContext& context, web::PageData& data) {
    const auto passkeys = show_proof(services, context, data);
    const store::OwnFactors own = store::own_factors(context.lease);
    show_passkey_rows(data, passkeys);
    if (own.app_made_at)
        data.show("APP")
            .set("MADE", rfc3339_seconds(*own.app_made_at))
            .set("MADE_TEXT", readable(*own.app_made_at));
    else
        data.show("NO_APP");
    if (own.app_made_at || !passkeys.empty()) {
        data.show("FACTORS").set("CODES_LEFT", std::to_string(own.recovery_codes));
    } else {
        data.show("NO_FACTOR");
        if (own.required) data.show("FACTOR_REQUIRED");
    }
}

std::vector<store::OwnPasskey> show_proof(const Services& services,
                                          pipeline::RequestContext& context, web::PageData& data) {
    auto passkeys = store::own_passkeys(context.lease);
    offer_passkeys(services, context, data, passkeys);
    if (!passkeys.empty() || store::own_factors(context.lease).app_made_at)
        data.show("SECOND_FACTOR");
    return passkeys;
}

AfterPassword factor_added(const Services& services, pipeline::RequestContext& context,
                           store::FactorStart start, const RecoveryCodes& codes,
                           pipeline::Notice notice) {
    if (start == store::FactorStart::ended) return session_ended();
    log(Level::notice, "second factor added", {{"user", context.user().text()}});
    if (start == store::FactorStart::first)
        return {recovery_page(services, context, codes, factors_path)};
    return {pipeline::see_other(security_path, notice)};
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
    return by_own_password(
        services, context, store::Deed::factor, "app", refused,
        [&](const store::SignIn& sign_in) -> AfterPassword {
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
    const auto refused = [&](const FieldError& error) {
        return render_security(services, context, {}, error);
    };
    const std::string chosen = context.form_value("Factor");
    const auto passkey = PasskeyId::parse(chosen);
    if (!passkey && chosen != "app") throw not_found();
    return by_own_password(
        services, context, store::Deed::factor, "remove", refused,
        [&](const store::SignIn& sign_in) -> AfterPassword {
            if (!store::remove_factor(context.lease, sign_in.id, passkey))
                return {web::Response::redirect(303, security_path)}; // it is gone already
            log(Level::notice, "second factor removed", {{"user", context.user().text()}});
            return {pipeline::see_other(security_path, pipeline::Notice::factor_removed)};
        });
}

web::Response make_recovery_codes(Services& services, pipeline::RequestContext& context) {
    const auto refused = [&](const FieldError& error) {
        return render_security(services, context, {}, error);
    };
    return by_own_password(
        services, context, store::Deed::factor, "recovery", refused,
        [&](const store::SignIn& sign_in) -> AfterPassword {
            const RecoveryCodes codes = new_recovery_codes();
            if (!store::make_recovery_codes(context.lease, sign_in.id, codes.hashes))
                return {web::Response::redirect(303, security_path)}; // the last factor is gone
            return {recovery_page(services, context, codes, factors_path)};
        });
}

} // namespace usershell::auth
