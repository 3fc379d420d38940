#include "auth/access/token_form.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/relay_routes.hpp"
#include "domain/rules.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace usershell::auth {

namespace {

std::string text_of(const web::FormFields& fields, std::string_view field) {
    const auto found = fields.find(field);
    return found == fields.end() ? std::string{} : std::string{std::string_view{found->second}};
}

int read_number(const rules::NumberRule& rule, const std::string& typed) {
    return rules::read(rule, parse_number<std::int64_t>(trim(typed)).value_or(-1));
}

std::string read_name(const std::string& typed) {
    if (trim(typed).empty()) throw invalid("Name", "Enter a name."_en);
    return rules::read(rules::token_name, typed);
}

/// None ticked: all that there are, unless later ones are wanted, too. Where there is none, only
/// later ones can be meant.
std::vector<ProviderId> read_providers(const std::set<std::string>& ticked, bool with_later,
                                       const std::vector<store::TokenChoice>& choices) {
    if (with_later && !ticked.empty())
        throw invalid("Providers", "Tick providers, or let the token use later ones: not both."_en);
    if (with_later || (ticked.empty() && choices.empty())) return {};
    std::vector<ProviderId> providers;
    for (const store::TokenChoice& choice : choices)
        if (ticked.empty() || ticked.contains(choice.id.text())) providers.push_back(choice.id);
    if (ticked.empty() || providers.size() == ticked.size()) return providers;
    throw invalid("Providers", "A provider that you chose is not there any more."_en);
}

/// A line names a model as tools do (execute/relay/model_names.hpp): the id alone where it is
/// enough, model@handle or handle/model. The result is as the store names it: id of the provider,
/// slash, id of the model.
std::string read_model(std::string_view line, const std::vector<store::TokenChoice>& choices) {
    const auto slash = std::min(line.find('/'), line.size());
    const auto at = std::min(line.rfind('@'), line.size());
    std::vector<std::string> found;
    for (const store::TokenChoice& choice : choices) {
        const auto add = [&](std::string_view handle, std::string_view model) {
            if (handle == choice.handle && std::ranges::count(choice.models, model) > 0)
                found.push_back(choice.id.text() + "/" + std::string{model});
        };
        add(choice.handle, line);
        if (slash < line.size()) add(line.substr(0, slash), line.substr(slash + 1));
        if (at < line.size()) add(line.substr(at + 1), line.substr(0, at));
    }
    if (found.size() == 1) return found.front();
    throw invalid("Models", "Each line must name one of your enabled models, as model@handle."_en);
}

std::vector<std::string> read_models(const std::string& typed,
                                     const std::vector<store::TokenChoice>& choices) {
    std::set<std::string_view> lines;
    for_each_piece(typed, '\n', [&](std::string_view line) {
        if (const auto name = trimmed(line); !name.empty()) lines.insert(name);
    });
    if (lines.size() > rules::max_token_models)
        throw invalid("Models", "These are too many models for one token."_en);
    std::set<std::string> models;
    for (const std::string_view line : lines) models.insert(read_model(line, choices));
    return {models.begin(), models.end()};
}

std::vector<std::string> read_routes(const std::set<std::string>& ticked) {
    for (const std::string& route : ticked) rules::read(rules::token_route, route);
    return {ticked.begin(), ticked.end()};
}

} // namespace

TokenForm::TokenForm() : id{crypto::random_id<AccessTokenId>()} {}

TokenForm::TokenForm(const web::FormFields& fields) : TokenForm{} {
    if (const auto given = AccessTokenId::parse(text_of(fields, "TokenId"))) id = *given;
    name = text_of(fields, "Name");
    days = text_of(fields, "Days");
    requests_a_minute = text_of(fields, "RequestsAMinute");
    tokens_a_day = text_of(fields, "TokensADay");
    providers = ticked(fields, "Providers");
    later_providers = fields.contains("LaterProviders");
    models = text_of(fields, "Models");
    routes = ticked(fields, "Routes");
    stored_objects = fields.contains("StoredObjects");
}

std::optional<store::TokenLimits> limits_of(TokenForm& form,
                                            const std::vector<store::TokenChoice>& choices) {
    store::TokenLimits limits;
    const auto read = [&form](const char* section, auto&& take) {
        try {
            take();
        } catch (const Refusal& refusal) {
            form.errors.emplace(section, refusal.sentence());
        }
    };
    read("NAME_ERROR", [&] { limits.name = read_name(form.name); });
    read("DAYS_ERROR",
         [&] { limits.lifetime = std::chrono::days{read_number(rules::token_days, form.days)}; });
    read("REQUESTS_ERROR", [&] {
        limits.requests_a_minute = read_number(rules::requests_a_minute, form.requests_a_minute);
    });
    read("TOKENS_ERROR", [&] {
        if (!trim(form.tokens_a_day).empty())
            limits.tokens_a_day = read_number(rules::tokens_a_day, form.tokens_a_day);
    });
    read("PROVIDERS_ERROR",
         [&] { limits.providers = read_providers(form.providers, form.later_providers, choices); });
    read("MODELS_ERROR", [&] { limits.models = read_models(form.models, choices); });
    read("ROUTES_ERROR", [&] { limits.routes = read_routes(form.routes); });
    limits.stored_objects = form.stored_objects;
    if (!form.errors.empty()) return std::nullopt;
    return limits;
}

std::set<std::string> ticked(const web::FormFields& fields, std::string_view group) {
    const std::string start = std::string{group} + ".";
    std::set<std::string> found;
    for (const auto& [field, value] : fields)
        if (field.starts_with(start)) found.insert(field.substr(start.size()));
    return found;
}

namespace {

bool is_plain(std::string_view model) {
    return std::ranges::all_of(model, [](char c) {
        return is_alphanumeric(c) || std::string_view{"-._:/@+"}.find(c) != std::string_view::npos;
    });
}

bool speaks(const ProviderType& type, std::string_view word) {
    return std::ranges::any_of(relay_routes(), [&](const RelayRouteRow& row) {
        return row.word == word && has_route(type, row.route);
    });
}

/// An empty list limits nothing.
template <class Value>
bool allows(const std::vector<Value>& limit, const Value& value) {
    return limit.empty() || std::ranges::count(limit, value) > 0;
}

/// Does a type that speaks the route surely have it? Another endpoint has what it has.
bool is_sure(const ProviderType& type, std::string_view word) {
    return word == word_of(RelayRoute::chat) || type.value != "generic-compatible";
}

/// A model of the provider.
std::string first_model(const store::TokenChoice& choice, const store::TokenLimits& limits) {
    if (!allows(limits.providers, choice.id)) return {};
    for (std::size_t i = 0; i < choice.models.size(); ++i)
        if (is_plain(choice.models[i]) &&
            allows(limits.models, choice.id.text() + "/" + choice.models[i]))
            return choice.names.at(i);
    return {};
}

} // namespace

std::string model_for_tools(const std::vector<store::TokenChoice>& choices,
                            const store::TokenLimits& limits, std::string_view route) {
    if (!allows(limits.routes, std::string{route})) return {};
    std::string unsure;
    for (const store::TokenChoice& choice : choices) {
        if (choice.type == nullptr || !speaks(*choice.type, route)) continue;
        std::string name = first_model(choice, limits);
        if (!name.empty() && is_sure(*choice.type, route)) return name;
        if (unsure.empty()) unsure = std::move(name);
    }
    return unsure;
}

} // namespace usershell::auth
