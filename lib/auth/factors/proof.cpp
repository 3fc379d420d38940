#include "auth/factors/proof.hpp"

#include "auth/cookies.hpp"
#include "auth/factors/codes.hpp"
#include "auth/factors/passkeys.hpp"
#include "auth/password_check.hpp"
#include "pipeline/answer.hpp"
#include "store/users/sessions.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace usershell::auth {
namespace {

struct ProofForm {
    std::string_view name; ///< the word behind `{{>proof ` in templates
    store::Deed deed;
};

constexpr auto forms = std::to_array<ProofForm>({{"email", store::Deed::address},
                                                 {"pending", store::Deed::address},
                                                 {"change", store::Deed::password},
                                                 {"delete", store::Deed::deletion},
                                                 {"token", store::Deed::token},
                                                 {"limits", store::Deed::token},
                                                 {"renew", store::Deed::token},
                                                 {"enable", store::Deed::token},
                                                 {"app", store::Deed::factor},
                                                 {"passkey", store::Deed::factor},
                                                 {"recovery", store::Deed::factor},
                                                 {"remove", store::Deed::factor}});

/// The sign-in, or the error beside a field of the form.
struct Proof {
    std::optional<store::SignIn> sign_in{};
    FieldError error{};
};

Proof prove(Services& services, pipeline::RequestContext& context, const ProofForm& form) {
    const crypto::Secret password = context.form_secret("CurrentPassword");
    const auto refused = [&form](const char* field, Sentence error) {
        return Proof{{}, {std::string{form.name} + field, std::move(error)}};
    };
    constexpr const char* by_password = "_password_error";
    if (password.empty()) {
        if (!has_passkey(context)) return refused(by_password, "Enter your password."_en);
        auto sign_in = show_passkey(services, context, form.deed);
        return sign_in ? Proof{std::move(sign_in)} : refused(by_password, refused_passkey);
    }
    auto sign_in = check_password(services, context, form.deed, context.caller().email, password);
    if (!sign_in) return refused(by_password, "Wrong password."_en);
    if (sign_in->is_enough) return {std::move(sign_in)};
    const auto state = store::sign_in_state(context.lease, *sign_in);
    if (!state) return {std::move(sign_in)}; // it has ended in between, which its renewal finds
    if (state->lacking)
        return refused(by_password,
                       *state->lacking == store::Lacking::factor
                           ? "Set up a second factor first: your administrator requires one."_en
                           : "Set up a passkey first: your administrator requires one."_en);
    Sentence error = show_factor(services, context, form.deed, *sign_in, *state);
    return error.empty() ? Proof{std::move(sign_in)} : refused("_code_error", std::move(error));
}

} // namespace

AfterProof session_ended() {
    return {web::Response::redirect(302, "/auth/login"), AfterProof::Session::ended};
}

web::Response by_proof(Services& services, pipeline::RequestContext& context,
                       const std::string& form,
                       const std::function<web::Response(const FieldError&)>& refused,
                       const std::function<AfterProof(const store::SignIn&)>& proven) {
    const auto index = std::ranges::find(forms, form, &ProofForm::name) - forms.begin();
    const Proof proof = prove(services, context, forms.at(static_cast<std::size_t>(index)));
    if (!proof.sign_in) return refused(proof.error);
    const FreshSession fresh = fresh_session();
    if (!store::renew_sign_in(context.lease, *proof.sign_in, fresh.keys))
        return session_ended().response;
    const auto settled = [&]() -> AfterProof {
        try {
            return proven(*proof.sign_in);
        } catch (const Refusal& refusal) {
            return {pipeline::answer(refusal, context.request, &services.pages,
                                     pipeline::ErrorForm::page, context.signed_in)};
        }
    };
    AfterProof after = settled();
    if (after.session == AfterProof::Session::goes_on)
        set_session_cookies(after.response, fresh, context.caller().cookie_lifetime);
    return std::move(after.response);
}

store::OwnFactors show_proof(const Services& services, pipeline::RequestContext& context,
                             web::PageData& data) {
    auto own = store::own_factors(context.lease);
    if (!own.any()) return own;
    data.show("SECOND_FACTOR").show(own.app_made_at && own.takes_codes ? "CODE" : "RECOVERY");
    std::vector<std::string> credentials(own.passkeys.size());
    std::ranges::transform(own.passkeys, credentials.begin(), &store::OwnPasskey::credential_id);
    offer_passkeys(data, credentials);
    if (credentials.empty()) return own;
    for (const ProofForm& form : forms)
        data.set(std::string{form.name} + "_challenge",
                 deed_challenge(services, context, form.deed));
    return own;
}

Sentence show_factor(Services& services, pipeline::RequestContext& context, store::Deed deed,
                     const store::SignIn& sign_in, const store::SignInState& state) {
    if (has_passkey(context))
        return show_passkey(services, context, deed, sign_in) ? Sentence{}
                                                              : Sentence{refused_passkey};
    if (state.is_proven) return {}; // by a first attempt, whose answer was lost
    return show_code(services, context, sign_in, state);
}

} // namespace usershell::auth
