// Errors as providers put them, and what they mean. The shapes differ ({"error": {…}}, {"error":
// "…"},
// {"detail": …}, {"message": …}, an array around one of these, plain text), the words are few:
// first the machine words (code, type, status, reason), then the HTTP status where it is plain,
// then phrases of the message, then the status for what is left. Sources: OpenAI "Error codes";
// Anthropic "Errors" (402 billing_error, 529 overloaded_error; a low credit balance is a 400 that
// only its message tells); Google AI "Troubleshooting" and google.rpc.Status (a bad key is 400
// INVALID_ARGUMENT with the reason API_KEY_INVALID); xAI "Debugging errors" (a bad key is 400);
// OpenRouter "Errors and debugging" (402, and 403 for moderation); Tavily (432, 433: plan limits);
// Brave Search (422 SUBSCRIPTION_TOKEN_INVALID); Microsoft Learn, "Content filtering".
#pragma once

#include "adapters/errors/redaction.hpp"
#include "adapters/errors/upstream_error.hpp"
#include "adapters/reading/json.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// What a provider said, every text of it redacted (see redaction.hpp).
struct ProviderError {
    int status = 0;                 ///< HTTP's, or the one the error itself names inside a 200
    std::vector<std::string> words; ///< machine words, lower case
    std::string message;            ///< for people, not shortened; may be empty
    std::string parameter;          ///< the input at fault, where the provider names one
    bool is_html = false;           ///< a web page answered
    std::optional<std::chrono::seconds> retry_after;

    bool has_word(std::string_view word) const;
    bool
    says(std::string_view phrase) const; ///< in its message, in any case; `phrase` is lower case
};

/// Bytes read of an error's body; of one that has more, or that was `cut_off`, the last run of
/// characters is dropped.
inline constexpr std::size_t max_error_bytes = std::size_t{64} * 1024;

/// Of an answer with an error status.
ProviderError read_provider_error(const net::HttpHead& head, std::string_view body, bool cut_off,
                                  const CallTexts& call);

/// Of an error inside an answer that began as a success.
ProviderError read_provider_error(const json::value& value, const CallTexts& call);

/// Likewise, in plain words.
ProviderError read_provider_error(std::string_view words, const CallTexts& call);

/// Does this JSON, which came where an answer was expected, tell of an error?
bool is_provider_error(const json::value& value);

Reason reason_of(const ProviderError& provider_error);

/// With the provider's words in it, at most 300 code points of them.
UpstreamError understand(const ProviderError& provider_error);

} // namespace usershell::adapters
