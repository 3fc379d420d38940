#include "auth/access/access.hpp"

#include "auth/access/token_form.hpp"
#include "auth/access/usage.hpp"
#include "auth/factors/proof.hpp"
#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"
#include "store/users/passwords.hpp"

#include <algorithm>

namespace usershell::auth {
namespace {

void show_list(web::PageData& row, const char* section,
               const std::optional<std::vector<std::string>>& words) {
    if (!words) return;
    std::string text;
    for (const std::string& word : *words) text += (text.empty() ? "" : ", ") + word;
    web::PageData& limit = row.show(section).set("TEXT", text);
    if (text.empty()) limit.say("TEXT", "none is left"_en);
}

void show_token(web::PageData& row, const store::AccessToken& token) {
    row.set("TOKEN_ID", token.id.text()).set("TOKEN_NAME", token.name);
    row.set("HINT", crypto::access_token_hint(token.selector));
    row.set("MADE", day_of(token.created_at)).set("EXPIRES", day_of(token.expires_at));
    row.set("REQUESTS", grouped(token.requests_a_minute));
    if (token.tokens_a_day) row.show("TOKENS_LIMIT").set("TEXT", grouped(*token.tokens_a_day));
    show_list(row, "PROVIDERS_LIMIT", token.providers);
    show_list(row, "MODELS_LIMIT", token.models);
    show_list(row, "ROUTES_LIMIT", token.routes);
    if (token.stored_objects) row.show("STORED_OBJECTS");
    row.show(token.enabled ? "ON" : "OFF");
    show_old_secret(row, token);
    if (!token.last_used_at)
        row.show("NEVER_USED");
    else
        row.show("LAST_USED")
            .set("DAY", day_of(*token.last_used_at))
            .set("NETWORK", token.last_used_network);
}

/// The settings of tools, with the token in them or a word in its place.
void show_tools(web::PageData& data, const std::optional<MadeToken>& made,
                const std::string& base_url, const std::vector<store::TokenChoice>& choices) {
    data.set("ORIGIN", base_url);
    data.set("TOKEN", made ? std::string{std::string_view{made->text}} : "YOUR_TOKEN");
    const store::TokenLimits limits = made ? made->limits : store::TokenLimits{.name = {}};
    bool lacks = false;
    for (const auto& [route, value] :
         {std::pair{"chat", "CHAT_MODEL"}, std::pair{"responses", "RESPONSES_MODEL"},
          std::pair{"messages", "MESSAGES_MODEL"}}) {
        const std::string model = model_for_tools(choices, limits, route);
        data.set(value, model.empty() ? "MODEL@HANDLE" : model);
        lacks = lacks || model.empty();
    }
    if (lacks) data.show("NO_MODEL");
    if (!made) {
        data.show("NO_SECRET");
        return;
    }
    web::PageData& shown = data.show("MADE_NOW");
    if (made->unused) shown.show("UNUSED").set("TOKEN_ID", made->unused->text());
}

web::Response render_access(Services& services, pipeline::RequestContext& context,
                            const TokenForm& form, const std::vector<store::TokenChoice>& choices,
                            const std::optional<MadeToken>& made = std::nullopt) {
    web::PageData data = pipeline::page_frame(context, "Access"_en, "access.js");
    data.set("CURRENT_EMAIL", context.caller().email);
    show_tools(data, made, services.settings.base_url, choices);
    for (const store::AccessToken& token : store::own_tokens(context.lease))
        show_token(data.show("TOKEN_ROW"), token);
    if (!data.sections.contains("TOKEN_ROW")) data.show("NO_TOKEN");
    show_form(data, form, choices);
    show_proof(services, context, data);
    const auto now = std::chrono::system_clock::now();
    show_usage(data, bars_of(store::usage_sums(context.lease, days_shown, lines_shown),
                             std::chrono::floor<std::chrono::microseconds>(now)));
    return pipeline::page_answer(context, services.pages, pages::Page::access, data);
}

std::optional<store::QueuedMail> notice_of(const Services& services,
                                           const pipeline::RequestContext& context,
                                           const std::string& token_name) {
    if (!services.mails) return std::nullopt;
    const store::Caller& caller = context.caller();
    return services.mails->about_token(pages::Mail::token_made, caller.user, caller.display_name,
                                       caller.email, token_name,
                                       services.pages.language_of(context.request));
}

Sentence error_of(store::TokenStart start) {
    return start == store::TokenStart::cap_reached
               ? "You have as many tokens as there can be. Revoke one."_en
               : "A provider or model that you chose is not there any more."_en;
}

/// False when the form was sent before: the token that it made has another secret.
bool is_of(const crypto::TokenProof& proof, const AccessTokenId& id, store::Lease& lease) {
    const auto tokens = store::own_tokens(lease);
    return std::ranges::any_of(tokens, [&](const store::AccessToken& each) {
        return each.id == id && each.selector == proof.selector;
    });
}

} // namespace

web::Response access_page(Services& services, pipeline::RequestContext& context) {
    return render_access(services, context, {}, store::token_choices(context.lease));
}

web::Response make_access_token(Services& services, pipeline::RequestContext& context) {
    TokenForm form{context.form.fields};
    const auto choices = store::token_choices(context.lease);
    const auto limits = limits_of(form, choices);
    if (!limits) return render_access(services, context, form, choices);
    const auto refused = [&](const FieldError& error) {
        form.errors.insert(error);
        return render_access(services, context, form, choices);
    };
    return by_proof(
        services, context, "token", refused, [&](const store::SignIn& sign_in) -> AfterProof {
            const auto token = crypto::new_access_token(services.auth_ring.installation);
            const auto start =
                store::make_token(context.lease, sign_in.id, form.id, token.proof, *limits,
                                  notice_of(services, context, limits->name));
            if (start == store::TokenStart::session_ended) return session_ended();
            if (start != store::TokenStart::made) return {refused({"FORM_ERROR", error_of(start)})};
            if (!is_of(token.proof, form.id, context.lease))
                return {render_access(services, context, {}, choices)};
            log(Level::notice, "access token made", {{"user", context.user().text()}});
            return {page_with_token(services, context, {token.text, *limits, form.id})};
        });
}

web::Response page_with_token(Services& services, pipeline::RequestContext& context,
                              const MadeToken& made) {
    return render_access(services, context, {}, store::token_choices(context.lease), made);
}

web::Response revoke_access_token(Services&, pipeline::RequestContext& context) {
    if (!store::revoke_token(context.lease, context.id<AccessTokenId>("tokenId")))
        throw not_found();
    log(Level::notice, "access token revoked", {{"user", context.user().text()}});
    return pipeline::see_other(access_path, pipeline::Notice::token_revoked);
}

web::Response usage_file(Services&, pipeline::RequestContext& context) {
    web::Response response;
    response.set("Content-Type", "text/csv; charset=utf-8");
    response.set("Content-Disposition", "attachment; filename=\"usershell-usage.csv\"");
    response.body = usage_csv(store::own_usage(context.lease, rules::max_usage_days));
    return response;
}

} // namespace usershell::auth
