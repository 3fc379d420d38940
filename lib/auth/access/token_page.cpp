#include "auth/access/access.hpp"
#include "auth/access/token_form.hpp"
#include "auth/factors/proof.hpp"
#include "auth/security.hpp"
#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "crypto/token.hpp"
#include "pipeline/page.hpp"

#include <algorithm>
#include <array>

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::auth {
namespace {

store::AccessToken own_token(pipeline::RequestContext& context) {
    const auto id = context.id<AccessTokenId>("tokenId");
    const auto tokens = store::own_tokens(context.lease);
    const auto found = std::ranges::find(tokens, id, &store::AccessToken::id);
    if (found == tokens.end()) throw not_found();
    return *found;
}

/// A form with its errors: of any of the page.
web::Response render_token(Services& services, pipeline::RequestContext& context,
                           const store::AccessToken& token, const TokenForm& form,
                           const std::vector<store::TokenChoice>& choices) {
    web::PageData data = pipeline::page_frame(context, "Access token"_en, "access.js");
    data.set("CURRENT_EMAIL", context.caller().email);
    data.set("TOKEN_ID", token.id.text()).set("TOKEN_NAME", token.name);
    data.set("HINT", crypto::access_token_hint(token.selector));
    data.set("SELECTOR", crypto::base64url(token.selector));
    data.show(token.enabled ? "ON" : "OFF");
    show_old_secret(data, token);
    show_form(data, form, choices, &token);
    show_proof(services, context, data);
    return pipeline::page_answer(context, services.pages, pages::Page::token, data);
}

/// The answer to a form of this page.
struct Change {
    Services& services;
    pipeline::RequestContext& context;
    const store::AccessToken& token;
    TokenForm form;
    std::vector<store::TokenChoice> choices = store::token_choices(context.lease);

    web::Response shown() const { return render_token(services, context, token, form, choices); }

    web::Response refused(const FieldError& error) {
        form.errors.insert(error);
        return shown();
    }

    /// `change(sign_in)` makes it, and `done()` is the answer then.
    template <class Make, class Done>
    web::Response by(const std::string& proof_form, Make make, Done done) {
        const auto wrong = [this](const FieldError& error) { return refused(error); };
        return by_proof(
            services, context, proof_form, wrong, [&](const store::SignIn& sign_in) -> AfterProof {
                const store::TokenChange outcome = make(sign_in);
                if (outcome == store::TokenChange::session_ended) return session_ended();
                if (outcome == store::TokenChange::not_found)
                    return {refused({"FORM_ERROR", "It has changed in between. Look "
                                                   "at it again."_en})};
                log(Level::notice, "access token changed", {{"user", context.user().text()}});
                return {done()};
            });
    }
};

Change change_of(Services& services, pipeline::RequestContext& context,
                 const store::AccessToken& token) {
    return {services, context, token, TokenForm{token}};
}

/// Hours; a word that is none of these is the first.
std::chrono::hours overlap_of(const pipeline::RequestContext& context) {
    constexpr std::array choices{0, 1, 24, 7 * 24};
    const auto given = parse_number<int>(context.form_value("Overlap")).value_or(0);
    return std::chrono::hours{std::ranges::count(choices, given) > 0 ? given : 0};
}

} // namespace

web::Response token_page(Services& services, pipeline::RequestContext& context) {
    const store::AccessToken token = own_token(context);
    return change_of(services, context, token).shown();
}

web::Response change_access_token(Services& services, pipeline::RequestContext& context) {
    const store::AccessToken token = own_token(context);
    Change change = change_of(services, context, token);
    change.form = TokenForm{context.form.fields};
    const auto limits = limits_of(change.form, change.choices, &token);
    if (!limits) return change.shown();
    return change.by(
        "limits",
        [&](const store::SignIn& sign_in) {
            return store::change_token(context.lease, sign_in.id, token.id, *limits);
        },
        [] { return pipeline::see_other(access_path, pipeline::Notice::token_changed); });
}

web::Response renew_access_token(Services& services, pipeline::RequestContext& context) {
    const store::AccessToken token = own_token(context);
    const auto fresh = crypto::new_access_token(services.auth_ring.installation);
    const auto replaced =
        crypto::from_base64url(context.form_value("Selector")).value_or(std::string{});
    Change change = change_of(services, context, token);
    return change.by(
        "renew",
        [&](const store::SignIn& sign_in) {
            return store::renew_token(context.lease, sign_in.id, token.id, replaced, fresh.proof,
                                      overlap_of(context));
        },
        [&] {
            return page_with_token(services, context, {fresh.text, limits_of(token), std::nullopt});
        });
}

web::Response enable_access_token(Services& services, pipeline::RequestContext& context) {
    const store::AccessToken token = own_token(context);
    return change_of(services, context, token)
        .by(
            "enable",
            [&](const store::SignIn& sign_in) {
                return store::enable_token(context.lease, sign_in.id, token.id);
            },
            [] { return pipeline::see_other(access_path, pipeline::Notice::token_enabled); });
}

web::Response disable_access_token(Services&, pipeline::RequestContext& context) {
    if (!store::disable_token(context.lease, context.id<AccessTokenId>("tokenId")))
        throw not_found();
    log(Level::notice, "access token changed", {{"user", context.user().text()}});
    return pipeline::see_other(access_path, pipeline::Notice::token_disabled);
}

web::Response token_seen(Services&, pipeline::RequestContext& context) {
    const store::AccessToken token = own_token(context);
    boost::json::object seen{{"seenAt", nullptr}, {"network", token.last_used_network}};
    if (token.last_used_at) seen["seenAt"] = rfc3339_seconds(*token.last_used_at);
    return web::Response::json(boost::json::serialize(seen));
}

} // namespace usershell::auth
