// Names of models as tools use them: the model's id alone when one provider of the token's owner
// has it, "model@handle" for any, and "handle/model", as before. Tools choose their options by what
// a name begins with ("o3", "gpt-5"), so the id is in front. Pure.
#pragma once

#include "adapters/relay.hpp"
#include "opener/wire/call_starts.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::execute {

struct NamedModel {
    ProviderId provider;
    std::string model;
};

/// The provider and model that a name means. Throws Refusal not_found (reason unknown_model) when
/// there is none, or the token may not use it; invalid_field when the name means two;
/// invalid_field (reason wrong_api) when the provider's protocol has no such route.
NamedModel find_model(const std::vector<opener::TokenProvider>& providers, std::string_view name,
                      RelayRoute route);

/// The refusal of a model that is not there, or not for this token.
Refusal unknown_model(std::string_view name);

/// A model that a token may use.
struct ListedModel {
    std::string name;
    std::string handle; ///< of its provider
};
/// Those whose provider has the route, each once, by the first of its names that means it alone. A
/// model without such a name is left out.
std::vector<ListedModel> list_models(const std::vector<opener::TokenProvider>& providers,
                                     RelayRoute route);

/// The model that a name means, under that name; null: none in list_models().
std::optional<ListedModel> listed_model(const std::vector<opener::TokenProvider>& providers,
                                        std::string_view name, RelayRoute route);

} // namespace usershell::execute
