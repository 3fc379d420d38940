#include "execute/relay/model_names.hpp"

#include "base/error.hpp"
#include "base/text.hpp"

#include <algorithm>

namespace usershell::execute {
namespace {

constexpr std::size_t max_shown = 200;

std::string shown(std::string_view name) { return shorten(printable(name), max_shown); }

bool contains(const std::vector<std::string>& models, std::string_view model) {
    return std::ranges::find(models, model) != models.end();
}

/// One reading of a name.
struct Reading {
    const store::TokenProvider* provider;
    std::string_view model;

    std::string whole_name() const { return provider->handle + "/" + std::string{model}; }
};

// Inactive providers and disabled models count, so that a name does not change its meaning when one
// of them is switched off.
std::vector<Reading> readings_of(const std::vector<store::TokenProvider>& providers,
                                 std::string_view name) {
    std::vector<Reading> readings;
    const auto slash = name.find('/');
    for (const store::TokenProvider& provider : providers) {
        if (slash != std::string_view::npos && name.substr(0, slash) == provider.handle &&
            contains(provider.models, name.substr(slash + 1)))
            readings.push_back({&provider, name.substr(slash + 1)});
        if (contains(provider.models, name)) readings.push_back({&provider, name});
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

NamedModel find_model(const std::vector<store::TokenProvider>& providers, std::string_view name,
                      adapters::RelayRoute route) {
    const auto readings = readings_of(providers, name);
    if (readings.empty()) throw unknown_model(name);
    if (readings.size() > 1) throw ambiguous(readings);
    const auto& [provider, model] = readings.front();
    if (!contains(provider->allowed, model) || provider->type == nullptr) throw unknown_model(name);
    if (!adapters::has_route(*provider->type, route)) throw wrong_api(name);
    return {provider->id, std::string{model}};
}

std::vector<ListedModel> list_models(const std::vector<store::TokenProvider>& providers,
                                     adapters::RelayRoute route) {
    std::vector<ListedModel> models;
    for (const store::TokenProvider& provider : providers) {
        if (provider.type == nullptr || !adapters::has_route(*provider.type, route)) continue;
        for (const std::string& model : provider.allowed) {
            const std::string whole = Reading{&provider, model}.whole_name();
            if (readings_of(providers, whole).size() == 1)
                models.push_back({whole, provider.handle});
            if (readings_of(providers, model).size() == 1)
                models.push_back({model, provider.handle});
        }
    }
    return models;
}

} // namespace usershell::execute
