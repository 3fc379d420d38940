#include "auth/access/tool_models.hpp"

#include "base/ascii.hpp"
#include "domain/relay_routes.hpp"

#include <algorithm>
#include <utility>

namespace usershell::auth {
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
