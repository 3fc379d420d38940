#include "auth/factors/passkeys.hpp"

#include "auth/browser_words.hpp"
#include "auth/cookies.hpp"
#include "auth/passkeys/challenge.hpp"
#include "auth/passkeys/webauthn.hpp"
#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "crypto/token.hpp"

namespace usershell::auth {
namespace {

std::string purpose_of(std::string_view what, const std::string& whose) {
    return std::string{what} + " " + whose;
}

std::string purpose_of_creation(const PasskeyOwner& owner) {
    return purpose_of("create", owner.place);
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
        purpose_of(store::word_of(deed),
                   deed == store::Deed::session ? visitor : context.caller().session.text()));
    auto proven = shown ? store::show_passkey(context.lease, *shown, deed, visitor,
                                              browser_of(context.request), sign_in)
                        : std::nullopt;
    if (!proven)
        log(Level::notice, "passkey refused", {{"client", context.request.client_address}});
    return proven;
}

void ask_for_passkey(web::PageData& data, const Services& services,
                     const pipeline::RequestContext& context, const PasskeyOwner& owner) {
    // The form brings a made passkey back after a wrong password.
    for (const char* field :
         {"NewClientData", "NewAuthenticatorData", "NewPublicKey", "NewAlgorithm", "NewChallenge"})
        data.set(field, context.form_value(field));
    data.set("CURRENT_EMAIL", owner.email).set("DISPLAY_NAME", owner.display_name);
    data.set("USER_HANDLE", crypto::base64url(owner.user.text()));
    data.set("RP_ID", std::string{host_name_of(services.settings.base_url)});
    data.set("CREATE_CHALLENGE", fresh_challenge(services, purpose_of_creation(owner)));
}

std::string device_name(const Services& services, const pipeline::RequestContext& context) {
    return services.pages.sentence(Sentence::read(browser_of(context.request)),
                                   services.pages.language_of(context.request));
}

namespace {

std::optional<store::NewPasskey> verified_registration(const Services& services,
                                                       const pipeline::RequestContext& context,
                                                       const PasskeyOwner& owner) {
    const auto wanted = expected(services, context, "NewChallenge", purpose_of_creation(owner));
    if (!wanted) return std::nullopt;
    const std::string client_data = bytes_in(context, "NewClientData");
    const std::string authenticator_data = bytes_in(context, "NewAuthenticatorData");
    const passkeys::PublicKey key{
        bytes_in(context, "NewPublicKey"),
        parse_number<int>(context.form_value("NewAlgorithm")).value_or(0)};
    const auto made =
        passkeys::verify_registration({client_data, authenticator_data, key}, *wanted);
    if (!made) return std::nullopt;
    return store::NewPasskey{crypto::random_id<PasskeyId>(),
                             made->credential_id,
                             {key.spki, key.algorithm, made->is_synced},
                             made->counter,
                             wanted->rp_id,
                             {}};
}

} // namespace

std::optional<store::NewPasskey> made_passkey(const Services& services,
                                              pipeline::RequestContext& context,
                                              const PasskeyOwner& owner) {
    auto made = verified_registration(services, context, owner);
    if (!made) context.form.fields.erase("NewClientData"); // the script asks the browser again
    return made;
}

std::string sign_in_challenge(const Services& services, const std::string& visitor) {
    return fresh_challenge(services, purpose_of(store::word_of(store::Deed::session), visitor));
}

std::string deed_challenge(const Services& services, const pipeline::RequestContext& context,
                           store::Deed deed) {
    return fresh_challenge(services,
                           purpose_of(store::word_of(deed), context.caller().session.text()));
}

void offer_passkeys(web::PageData& data, const std::vector<std::string>& credentials) {
    if (credentials.empty()) return;
    std::string allowed;
    for (const std::string& each : credentials)
        allowed += (allowed.empty() ? "" : " ") + crypto::base64url(each);
    data.show("PASSKEYS");
    data.set("ALLOWED", allowed);
}

} // namespace usershell::auth
