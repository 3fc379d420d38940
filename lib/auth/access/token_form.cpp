#include "auth/access/token_form.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "crypto/token.hpp"
#include "domain/relay_routes.hpp"
#include "domain/rules.hpp"
#include "pipeline/page.hpp"

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
                                       const std::vector<store::TokenChoice>& choices,
                                       bool is_change) {
    if (with_later && !ticked.empty())
        throw invalid("Providers", "Tick providers, or let the token use later ones: not both."_en);
    if (is_change && !with_later && ticked.empty())
        throw invalid("Providers", "Tick a provider, or let the token use all of them."_en);
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
std::string read_model(std::string_view line, const std::vector<store::TokenChoice>& choices,
                       const store::AccessToken* changed) {
    if (changed != nullptr && changed->models) // which may be disabled by now
        if (const auto own = std::ranges::find(*changed->models, line);
            own != changed->models->end())
            return changed->model_ids->at(static_cast<std::size_t>(own - changed->models->begin()));
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
                                     const std::vector<store::TokenChoice>& choices,
                                     const store::AccessToken* changed) {
    std::set<std::string_view> lines;
    for_each_piece(typed, '\n', [&](std::string_view line) {
        if (const auto name = trimmed(line); !name.empty()) lines.insert(name);
    });
    if (lines.size() > rules::max_token_models)
        throw invalid("Models", "These are too many models for one token."_en);
    std::set<std::string> models;
    for (const std::string_view line : lines) models.insert(read_model(line, choices, changed));
    return {models.begin(), models.end()};
}

std::optional<std::chrono::seconds> read_lifetime(const TokenForm& form, bool is_change) {
    if (is_change && form.life == "keep") return std::nullopt;
    const bool own = form.life.empty() || form.life == "own";
    return std::chrono::days{read_number(rules::token_days, own ? form.days : form.life)};
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
    life = text_of(fields, "Life");
    days = text_of(fields, "Days");
    requests_a_minute = text_of(fields, "RequestsAMinute");
    tokens_a_day = text_of(fields, "TokensADay");
    providers = ticked(fields, "Providers");
    later_providers = fields.contains("LaterProviders");
    models = text_of(fields, "Models");
    routes = ticked(fields, "Routes");
    stored_objects = fields.contains("StoredObjects");
}

namespace {

std::string joined_lines(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

std::set<std::string> set_of(const std::optional<std::vector<std::string>>& words) {
    return words ? std::set<std::string>{words->begin(), words->end()} : std::set<std::string>{};
}

} // namespace

// A limit of which nothing is left must not look like none: its line is refused until it is
// deleted.
TokenForm::TokenForm(const store::AccessToken& token)
    : id{token.id},
      name{token.name},
      life{"keep"},
      requests_a_minute{std::to_string(token.requests_a_minute)},
      tokens_a_day{token.tokens_a_day ? std::to_string(*token.tokens_a_day) : ""},
      providers{set_of(token.provider_ids)},
      later_providers{!token.provider_ids},
      models{joined_lines(token.models.value_or(std::vector<std::string>{}))},
      routes{set_of(token.routes)},
      stored_objects{token.stored_objects} {
    if (token.models && token.models->empty()) models = "-";
}

std::optional<store::TokenLimits> limits_of(TokenForm& form,
                                            const std::vector<store::TokenChoice>& choices,
                                            const store::AccessToken* changed) {
    store::TokenLimits limits;
    const auto read = [&form](const char* section, auto&& take) {
        try {
            take();
        } catch (const Refusal& refusal) {
            form.errors.emplace(section, refusal.sentence());
        }
    };
    read("LABEL_ERROR", [&] { limits.name = read_name(form.name); });
    read("DAYS_ERROR", [&] { limits.lifetime = read_lifetime(form, changed != nullptr); });
    read("REQUESTS_ERROR", [&] {
        limits.requests_a_minute = read_number(rules::requests_a_minute, form.requests_a_minute);
    });
    read("TOKENS_ERROR", [&] {
        if (!trim(form.tokens_a_day).empty())
            limits.tokens_a_day = read_number(rules::tokens_a_day, form.tokens_a_day);
    });
    read("PROVIDERS_ERROR", [&] {
        limits.providers =
            read_providers(form.providers, form.later_providers, choices, changed != nullptr);
    });
    read("MODELS_ERROR", [&] { limits.models = read_models(form.models, choices, changed); });
    read("ROUTES_ERROR", [&] { limits.routes = read_routes(form.routes); });
    limits.stored_objects = form.stored_objects;
    if (!form.errors.empty()) return std::nullopt;
    return limits;
}

store::TokenLimits limits_of(const store::AccessToken& token) {
    store::TokenLimits limits{.name = token.name};
    for (const std::string& text : set_of(token.provider_ids))
        if (const auto id = ProviderId::parse(text)) limits.providers.push_back(*id);
    limits.models = token.model_ids.value_or(std::vector<std::string>{});
    limits.routes = token.routes.value_or(std::vector<std::string>{});
    return limits;
}

std::string day_of(Timestamp moment) { return rfc3339_seconds(moment).substr(0, 10); }

void show_old_secret(web::PageData& data, const store::AccessToken& token) {
    if (token.old_selector.empty() || !token.old_expires_at) return;
    const std::string until = rfc3339_seconds(*token.old_expires_at);
    data.show("OLD_SECRET")
        .set("OLD_HINT", crypto::access_token_hint(token.old_selector))
        .set("UNTIL", until)
        .set("UNTIL_TEXT", until.substr(0, 10) + " " + until.substr(11, 5) + " UTC");
}

namespace {

void show_box(web::PageData& row, const std::string& value, const std::set<std::string>& ticked) {
    row.set("VALUE", value);
    if (ticked.contains(value)) row.show("TICKED");
}

void show_lives(web::PageData& data, const TokenForm& form, const store::AccessToken* changed) {
    const auto now =
        std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
    const auto add = [&](const std::string& value, const Sentence& text, Timestamp end) {
        web::PageData& row = data.show("LIFE").set("VALUE", value).say("TEXT", text);
        row.set("ENDS", day_of(end));
        if (form.life != value) return;
        row.show("CHOSEN");
        data.set("ENDS", day_of(end));
    };
    if (changed != nullptr) add("keep", "As now"_en, changed->expires_at);
    for (const int days : {7, 30, 90})
        add(std::to_string(days), {"{count} days"_en, {{"count", std::to_string(days)}}},
            now + std::chrono::days{days});
    add("365", "1 year"_en, now + std::chrono::days{365});
    const bool own = form.life.empty() || form.life == "own";
    if (own) data.show("OWN_CHOSEN");
    const int days = parse_number<int>(trim(form.days)).value_or(0);
    if (own) data.set("ENDS", day_of(now + std::chrono::days{std::clamp(days, 0, 365)}));
    data.set("DAYS_VALUE", form.days);
}

} // namespace

void show_form(web::PageData& data, const TokenForm& form,
               const std::vector<store::TokenChoice>& choices, const store::AccessToken* changed) {
    data.set("NEW_ID", form.id.text()).set("LABEL_VALUE", form.name);
    show_lives(data, form, changed);
    data.set("REQUESTS_VALUE", form.requests_a_minute).set("TOKENS_VALUE", form.tokens_a_day);
    // A value has no line ends: the template has them.
    for_each_piece(form.models, '\n', [&data](std::string_view line) {
        if (const auto name = trimmed(line); !name.empty())
            data.show("MODEL_LINE").set("TEXT", std::string{name});
    });
    for (const store::TokenChoice& choice : choices) {
        web::PageData& row = data.show("PROVIDER");
        show_box(row, choice.id.text(), form.providers);
        row.set("PROVIDER_LABEL", choice.name);
        for (std::size_t i = 0; i < choice.models.size(); ++i)
            data.show("MODEL")
                .set("MODEL_TEXT", choice.names.at(i))
                .set("MODEL_FULL", choice.models[i] + "@" + choice.handle);
    }
    for (const std::string_view route : rules::words::token_routes)
        show_box(data.show("ROUTE"), std::string{route}, form.routes);
    if (form.stored_objects) data.show("STORED_TICKED");
    if (form.later_providers || (changed == nullptr && choices.empty())) data.show("LATER_TICKED");
    if (changed == nullptr) data.show("NONE_IS_ALL");
    const bool is_of_a_limit = std::ranges::any_of(form.errors, [](const auto& error) {
        return error.first.ends_with("S_ERROR") && error.first != "DAYS_ERROR";
    });
    if (changed != nullptr || is_of_a_limit) data.show("LIMITS_OPEN");
    for (const auto& [section, sentence] : form.errors)
        pipeline::show_error(data, section, sentence);
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
