// How a request is put where upstreams of one protocol differ. It starts as the adapter's guess,
// Adapter::options(); what an upstream's refusal asks for changes it, each point once. For
// calls.cpp.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/errors/provider_error.hpp"

namespace usershell::adapters {

struct RequestOptions {
    bool stream = false;
    bool completion_tokens =
        false; ///< max_completion_tokens in place of max_tokens (OpenAI's newer models)
    bool temperature = true;   ///< sent, where the request has one
    bool usage = false;        ///< a stream is asked to tell how many tokens it took
    bool version_path = false; ///< "/v1" after a base URL that is a bare host
};

/// A bare host may be meant as ".../v1": asked when it has nothing at the plain path.
bool lacks_version(const CallTarget& target, const ProviderError& error);

/// Changes in `options` what the error asks for and is still as it was at `first`; true when asking
/// again is worth it.
bool adjust(const CallTarget& target, const ProviderError& error, const RequestOptions& first,
            RequestOptions& options);

} // namespace usershell::adapters
