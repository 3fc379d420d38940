#include "auth/passkey_pages.hpp"

#include "auth/browser_words.hpp"
#include "auth/cookies.hpp"
#include "auth/passkeys/challenge.hpp"
#include "auth/passkeys/webauthn.hpp"
#include "auth/password_check.hpp"
#include "auth/second_factor.hpp"
#include "auth/security.hpp"
#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace usershell::auth {
namespace {

/// The deed of each form with the fields of templates/proof.tpl.
constexpr std::array<std::pair<const char*, store::Deed>, 9> forms{
    {{"email", store::Deed::address},
     {"pending", store::Deed::address},
     {"change", store::Deed::password},
     {"delete", store::Deed::deletion},
     {"token", store::Deed::token},
     {"app", store::Deed::factor},
     {"passkey", store::Deed::factor},
     {"recovery", store::Deed::factor},
     {"remove", store::Deed::factor}}};

constexpr const char* create_purpose = "create ";

/// A visitor's, or of the caller's session.
std::string purpose_of(store::Deed deed, const std::string& whose) {
    return store::word_of(deed) + " " + whose;
}

std::string fresh_challenge(const Services& services, const std::string& purpose) {
    return crypto::base64url(
        passkeys::make_challenge(services.auth_ring, purpose, std::chrono::system_clock::now()));
}

/// A field of bytes; empty when it is none.
std::string bytes_in(const pipeline::RequestContext& context, std::string_view field) {
    return crypto::from_base64url(context.form_value(field)).value_or("");
}

/// The browser must have signed these; null: the challenge is not good for that purpose.
std::optional<passkeys::Expected> expected(const Services& services,
                                           const pipeline::RequestContext& context,
                                           std::string_view field, const std::string& purpose) {
    const std::string challenge = bytes_in(context, field);
    if (!passkeys::is_challenge(services.auth_ring, purpose, challenge,
                                std::chrono::system_clock::now()))
        return std::nullopt;
    const std::string& origin = services.settings.base_url;
    return passkeys::Expected{origin, std::string{host_name_of(origin)}, challenge};
}

/// Of the form's assertion, whose signature is right.
std::optional<store::ShownPasskey>
verified(const Services& services, pipeline::RequestContext& context, const std::string& purpose) {
    const auto wanted = expected(services, context, "Challenge", purpose);
    const std::string credential = bytes_in(context, "Credential");
    const auto key = wanted ? store::find_passkey(context.lease, credential) : std::nullopt;
    if (!key) return std::nullopt;
    const std::string client_data = bytes_in(context, "ClientData");
    const std::string authenticator_data = bytes_in(context, "AuthenticatorData");
    const std::string signature = bytes_in(context, "Signature");
    const auto assertion = passkeys::verify_assertion({client_data, authenticator_data, signature},
                                                      {key->public_key, key->algorithm}, *wanted);
    // Level 3, section 7.2: whether it may be synced is the same for its whole life.
    if (!assertion || assertion->is_synced != key->is_synced) return std::nullopt;
    return store::ShownPasskey{credential, wanted->challenge, assertion->counter,
                               assertion->is_verified};
}

/// A passkey that was made is sent again after a wrong password.
constexpr std::array new_fields{"NewClientData", "NewAuthenticatorData", "NewPublicKey",
                                "NewAlgorithm", "NewChallenge"};

web::Response passkey_form(Services& services, pipeline::RequestContext& context,
                           const FieldError& error) {
    web::PageData data = pipeline::page_frame(context, "Add a passkey"_en, "codes.js");
    const store::Caller& caller = context.caller();
    for (const char* field : new_fields) data.set(field, context.form_value(field));
    const bool is_new = context.request.method == web::Method::get;
    data.set("NAME_VALUE",
             is_new ? services.pages.sentence(Sentence::read(browser_of(context.request)),
                                              services.pages.language_of(context.request))
                    : context.form_value("Name"));
    data.set("CURRENT_EMAIL", caller.email).set("DISPLAY_NAME", caller.display_name);
    data.set("USER_HANDLE", crypto::base64url(caller.user.text()));
    data.set("RP_ID", std::string{host_name_of(services.settings.base_url)});
    data.set("CREATE_CHALLENGE", fresh_challenge(services, create_purpose + caller.session.text()));
    show_proof(services, context, data);
    pipeline::show_error(data, error.first.c_str(), error.second);
    return pipeline::page_answer(context, services.pages, pages::Page::passkey, data);
}

} // namespace

bool has_passkey(const pipeline::RequestContext& context) {
    return !context.form_value("Credential").empty();
}

std::optional<store::SignIn> show_passkey(Services& services, pipeline::RequestContext& context,
                                          store::Deed deed,
                                          const std::optional<store::SignIn>& sign_in) {
    const std::string visitor = visitor_hash(context.request);
    const auto shown = verified(
        services, context,
        purpose_of(deed, deed == store::Deed::session ? visitor : context.caller().session.text()));
    auto proven = shown ? store::show_passkey(context.lease, *shown, deed, visitor,
                                              browser_of(context.request), sign_in)
                        : std::nullopt;
    if (!proven)
        log(Level::notice, "passkey refused", {{"client", context.request.client_address}});
    return proven;
}

std::string sign_in_challenge(const Services& services, const std::string& visitor) {
    return fresh_challenge(services, purpose_of(store::Deed::session, visitor));
}

void offer_passkeys(web::PageData& data, const std::vector<std::string>& credentials) {
    std::string allowed;
    for (const std::string& each : credentials)
        allowed += (allowed.empty() ? "" : " ") + crypto::base64url(each);
    data.show("PASSKEYS");
    data.set("ALLOWED", allowed);
}

void offer_passkeys(const Services& services, pipeline::RequestContext& context,
                    web::PageData& data, const std::vector<store::OwnPasskey>& own) {
    if (own.empty()) return;
    std::vector<std::string> credentials(own.size());
    std::ranges::transform(own, credentials.begin(), &store::OwnPasskey::credential_id);
    offer_passkeys(data, credentials);
    for (const auto& [form, deed] : forms)
        data.set(std::string{form} + "_challenge",
                 fresh_challenge(services, purpose_of(deed, context.caller().session.text())));
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
    const auto wanted = expected(services, context, "NewChallenge",
                                 create_purpose + context.caller().session.text());
    const std::string client_data = bytes_in(context, "NewClientData");
    const std::string authenticator_data = bytes_in(context, "NewAuthenticatorData");
    const auto made =
        wanted ? passkeys::verify_registration(
                     {client_data,
                      authenticator_data,
                      {bytes_in(context, "NewPublicKey"),
                       parse_number<int>(context.form_value("NewAlgorithm")).value_or(0)}},
                     *wanted)
               : std::nullopt;
    if (!made) {
        context.form.fields.erase("NewClientData"); // the script asks the browser again
        return refused({"FORM_ERROR", "The passkey was not made. Try again."_en});
    }
    return by_own_password(
        services, context, store::Deed::factor, "passkey", refused,
        [&](const store::SignIn& sign_in) -> AfterPassword {
            const RecoveryCodes codes = new_recovery_codes();
            const store::NewPasskey passkey{crypto::random_id<PasskeyId>(),
                                            made->credential_id,
                                            {made->key.spki, made->key.algorithm, made->is_synced},
                                            made->counter,
                                            wanted->rp_id,
                                            name};
            const auto start = store::add_factor(context.lease, sign_in, passkey, codes.hashes,
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
