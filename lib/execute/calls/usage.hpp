// The tokens that a call has taken of a model, for the usage that its user sees.
#pragma once

#include "adapters/calls.hpp"
#include "execute/calls/call.hpp"
#include "execute/calls/call_failure.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace usershell::execute {

inline constexpr std::size_t bytes_of_token = 4; ///< roughly, of text

struct Spent {
    adapters::Usage told{};           ///< by the provider
    std::uint64_t request_tokens = 0; ///< of what the model was sent, by an estimate
    std::size_t answer_bytes = 0;     ///< of what the user got of its answer
};

/// The usage of a call that has ended so; `failure`: null when it has not failed. Where the
/// provider has not told both counts, or the answer has not come to its end, they are estimated by
/// the bytes, as no less than was told. A call that failed without an answer has taken no tokens.
store::CallUsage usage_of(const ProviderId& provider, const std::string& model, const Spent& spent,
                          const CallFailure* failure);

} // namespace usershell::execute
