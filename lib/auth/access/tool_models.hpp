// Which of a person's models the ready settings for tools name. Pure; any thread may call.
#pragma once

#include "store/tokens/access_tokens.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell::auth {

/// The first model that a new token with these limits may use by that route ("chat", "responses",
/// "messages"), as tools name it; empty when there is none. One of a compatible endpoint, which may
/// lack the route, is named when there is no other. A model whose id has characters
/// that mean something to a shell or in a settings file is never named: a provider chooses the ids.
std::string model_for_tools(const std::vector<store::TokenChoice>& choices,
                            const store::TokenLimits& limits, std::string_view route);

} // namespace usershell::auth
