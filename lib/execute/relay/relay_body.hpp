// Reads of a tool's request body what counts: the model, and members that would get around the
// token's limits. The rest goes to the provider as it came. Pure.
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
};

/// Throws Refusal malformed_json; missing_field or invalid_field for a model that is missing, no
/// string, or there twice in any spelling that some parser takes for it; and invalid_field for a
/// member that the token does not allow: another choice of the model, when it is limited to some; a
/// reference to an object that another request has stored at the provider, unless it may use those.
RelayBody read_relay_body(std::string_view body, adapters::RelayRoute route,
                          store::BodyLimits limits);

} // namespace usershell::execute
