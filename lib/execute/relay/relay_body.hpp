// Reads of a tool's request body what counts: the model, members that would get around the token's
// limits, and how many tokens it may take. The rest goes to the provider as it came. Pure.
#pragma once

#include "adapters/relay.hpp"
#include "store/calls.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace usershell::execute {

struct RelayBody {
    std::string model;          ///< as the tool names it
    std::size_t model_at = 0;   ///< where its JSON string begins in the body
    std::size_t model_size = 0; ///< with its quotes
    bool wants_stream = false;
    store::TokenNeed need{}; ///< an estimate
};

/// Throws Refusal malformed_json; missing_field or invalid_field for a model that is missing, no
/// string, or there twice in any spelling that some parser takes for it; invalid_field for a name
/// with a control character; and invalid_field for a member that the token does not allow: a token
/// with a limit of models, or without stored objects, has the members of body_members.hpp that name
/// nothing of the kind, and no others.
RelayBody read_relay_body(std::string_view body, RelayRoute route, store::BodyLimits limits);

} // namespace usershell::execute
