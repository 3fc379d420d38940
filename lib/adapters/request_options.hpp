// Choices in writing a request, where upstreams of one protocol differ. They start as
// Adapter::options() guesses them; when an upstream's error names one that it does not accept, that
// one is changed, each at most once, and the request is sent again. For calls.cpp.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/errors/provider_error.hpp"

namespace usershell::adapters {

/// The token limit of a check whose request has none: reasoning models think before their one word.
inline constexpr std::uint32_t check_tokens = 1024;
/// The limit for a model that does not allow so many. Some models accept no fewer. A check that
/// ends by length counts as reached.
inline constexpr std::uint32_t few_check_tokens = 16;

struct RequestOptions {
    bool stream = false;
    std::optional<std::uint32_t> max_tokens{}; ///< null: the request has no limit
    bool fewer_tokens = false; ///< the limit may still be lowered: it is check_tokens
    bool completion_tokens =
        false; ///< max_completion_tokens in place of max_tokens (OpenAI's newer models)
    bool temperature = true;   ///< sent, where the request has one
    bool system_role = true;   ///< else with_system_in_first_turn()
    bool usage = false;        ///< a stream is asked to tell how many tokens it took
    bool version_path = false; ///< "/v1" after a base URL that is a bare host
};

/// Is the base URL a bare host, whose API may be below "/v1"?
bool may_lack_version(const CallTarget& target);

/// Is it one, and may its root have no API? The provider refuses the route, or the answer is a web
/// page, a redirect, or other JSON.
bool lacks_version(const CallTarget& target, const UpstreamError& error);

/// The error to report after "/v1" was tried: a key refused at the root is more than a missing API.
const UpstreamError& told_of(const std::optional<UpstreamError>& at_root,
                             const UpstreamError& error);

/// Changes the one option that the error objects to, unless it already differs from `first`. True
/// when something was changed, so that the request is worth sending again. It looks for the
/// option's name in the error, in any spelling, and a word of refusal; not at the status.
bool adjust(const CallTarget& target, const ProviderError& error, const RequestOptions& first,
            RequestOptions& options);

/// For a model without a system role (Gemma, the first of OpenAI's reasoning models): puts the
/// system prompt before the user's first message.
ChatRequest with_system_in_first_turn(ChatRequest request);

} // namespace usershell::adapters
