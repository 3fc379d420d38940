#include "execute/relay/model_names.hpp"

#include "base/error.hpp"
#include "base/text.hpp"
#include "execute/handlers.hpp"
#include "execute/relay/token_call.hpp"
#include "pipeline/answer.hpp"
#include "web/header_value.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::execute {

namespace {

constexpr std::size_t max_shown = 200;

std::string shown(std::string_view name) { return shorten(printable(name), max_shown); }

bool contains(const std::vector<std::string>& models, std::string_view model) {
    return std::ranges::find(models, model) != models.end();
}

/// One reading of a name.
struct Reading {
    const opener::TokenProvider* provider;
    std::string_view model;

    std::string whole_name() const { return std::string{model} + "@" + provider->handle; }
};

/// All names of a model, the best one first.
std::array<std::string, 3> names_of(const opener::TokenProvider& provider,
                                    const std::string& model) {
    return {model, Reading{&provider, model}.whole_name(), provider.handle + "/" + model};
}

// Inactive providers and disabled models count, so that a name does not change its meaning when one
// of them is switched off.
std::vector<Reading> readings_of(const std::vector<opener::TokenProvider>& providers,
                                 std::string_view name) {
    std::vector<Reading> readings;
    const auto slash = std::min(name.find('/'), name.size());
    const auto at = std::min(name.rfind('@'), name.size()); // an id may have another before it
    for (const opener::TokenProvider& provider : providers) {
        const auto add = [&](std::string_view handle, std::string_view model) {
            if (handle == provider.handle && contains(provider.models, model))
                readings.push_back({&provider, model});
        };
        add(provider.handle, name);
        if (slash < name.size()) add(name.substr(0, slash), name.substr(slash + 1));
        if (at < name.size()) add(name.substr(at + 1), name.substr(0, at));
    }
    return readings;
}

Refusal ambiguous(const std::vector<Reading>& readings) {
    std::string names;
    for (const Reading& each : readings)
        names += (names.empty() ? "" : ", ") + shown(each.whole_name());
    return invalid("model", {"This name means several models. Write one of these: {names}."_en,
                             {{"names", names}}});
}

bool serves(const opener::TokenProvider& provider, RelayRoute route) {
    return provider.type != nullptr && has_route(*provider.type, route);
}

Refusal wrong_api(std::string_view model) {
    return invalid("model", {"The provider of {model} does not have this route. Choose another "
                             "model or route."_en,
                             {{"model", shown(model)}}})
        .because("wrong_api");
}

} // namespace

Refusal unknown_model(std::string_view name) {
    return Refusal{ErrorCode::not_found,
                   {"The model {model} does not exist, or this access token may not use it now."_en,
                    {{"model", shown(name)}}},
                   "model"}
        .because("unknown_model");
}

NamedModel find_model(const std::vector<opener::TokenProvider>& providers, std::string_view name,
                      RelayRoute route) {
    const auto readings = readings_of(providers, name);
    if (readings.empty()) throw unknown_model(name);
    if (readings.size() > 1) throw ambiguous(readings);
    const auto& [provider, model] = readings.front();
    if (!contains(provider->allowed, model) || provider->type == nullptr) throw unknown_model(name);
    if (!has_route(*provider->type, route)) throw wrong_api(name);
    return {provider->id, std::string{model}};
}

std::vector<ListedModel> list_models(const std::vector<opener::TokenProvider>& providers,
                                     RelayRoute route) {
    std::vector<ListedModel> models;
    for (const opener::TokenProvider& provider : providers) {
        if (!serves(provider, route)) continue;
        for (const std::string& model : provider.allowed) {
            const auto names = names_of(provider, model);
            const auto good = std::ranges::find_if(names, [&](const std::string& name) {
                return readings_of(providers, name).size() == 1;
            });
            if (good != names.end()) models.push_back({*good, provider.handle});
        }
    }
    return models;
}

std::optional<ListedModel> listed_model(const std::vector<opener::TokenProvider>& providers,
                                        std::string_view name, RelayRoute route) {
    const auto readings = readings_of(providers, name);
    if (readings.size() != 1) return std::nullopt;
    const auto& [provider, model] = readings.front();
    if (!serves(*provider, route) || !contains(provider->allowed, model)) return std::nullopt;
    return ListedModel{std::string{name}, provider->handle};
}

namespace {

using pipeline::ErrorForm;

constexpr const char* long_ago = "1970-01-01T00:00:00Z"; ///< no provider says when

boost::json::object document_of(const ListedModel& model, ErrorForm form) {
    if (form == ErrorForm::anthropic)
        return {{"type", "model"},
                {"id", model.name},
                {"display_name", model.name},
                {"created_at", long_ago}};
    return {{"id", model.name}, {"object", "model"}, {"created", 0}, {"owned_by", model.handle}};
}

RelayRoute route_of(ErrorForm form) {
    return form == ErrorForm::anthropic ? RelayRoute::messages : RelayRoute::chat;
}

std::vector<opener::TokenProvider> providers_of(Services& services,
                                                pipeline::RequestContext& context) {
    return std::move(begin_token_call(services, context, {}).start.providers);
}

} // namespace

web::Response tool_models(Services& services, pipeline::RequestContext& context) {
    const ErrorForm form = pipeline::api_form("/v1/models", context.request);
    const auto models = list_models(providers_of(services, context), route_of(form));
    boost::json::array data;
    for (const ListedModel& model : models) data.push_back(document_of(model, form));
    boost::json::object document{{"data", std::move(data)}};
    if (form == ErrorForm::anthropic) {
        document["has_more"] = false;
        document["first_id"] = nullptr;
        document["last_id"] = nullptr;
        if (!models.empty()) {
            document["first_id"] = models.front().name;
            document["last_id"] = models.back().name;
        }
    } else {
        document["object"] = "list";
    }
    return web::Response::json(boost::json::serialize(document));
}

web::Response tool_model(Services& services, pipeline::RequestContext& context) {
    const ErrorForm form = pipeline::api_form("/v1/models", context.request);
    const auto providers = providers_of(services, context);
    const auto& sent = context.parameters.find("model")->second;
    const auto name = web::decode_form_text(sent);
    const auto found =
        listed_model(providers, name ? std::string_view{*name} : sent, route_of(form));
    if (!found) throw unknown_model(sent);
    return web::Response::json(boost::json::serialize(document_of(*found, form)));
}

} // namespace usershell::execute
