// Reads the errors that providers send, and finds the reason that they mean. Their shapes differ
// ({"error": {…}}, {"error": "…"}, {"detail": …}, {"message": …}, an array or an event stream
// around one of these, one inside another's message, plain text); what they say is matched against
// the table of causes/causes.hpp. Sources: OpenAI "Error codes"; Anthropic "Errors" (402
// billing_error, 529 overloaded_error; a low credit balance is a 400 with its own message); Google
// AI "Troubleshooting" and google.rpc.Status (a bad key is 400 INVALID_ARGUMENT with the reason
// API_KEY_INVALID); xAI "Debugging errors" (a bad key is 400); OpenRouter "Errors and debugging"
// (402, and 403 for moderation); Tavily (432, 433: plan limits); Brave Search (422
// SUBSCRIPTION_TOKEN_INVALID); Microsoft Learn, "Content filtering"; MiniMax "Error codes"
// (base_resp); Tencent Cloud API 3.0 (Response.Error); Baidu Qianfan (error_code, error_msg); AWS
// (__type).
#pragma once

#include "adapters/errors/provider_words.hpp"
#include "adapters/errors/upstream_error.hpp"
#include "adapters/reading/json.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace usershell::adapters {

/// An error as a provider sent it. Only `said` is shown; the other texts are readable_words().
struct ProviderError {
    int status = 0;                 ///< HTTP's, or the one the error itself names inside a 200
    std::vector<std::string> words; ///< machine words
    std::string message;            ///< for people; may be empty
    std::string parameter;          ///< the inputs at fault, where the provider names them
    std::string faults;             ///< what a validator says of them
    std::string said;               ///< shown_words() of the message
    bool is_html = false;           ///< a web page answered
    bool is_blocked = false;        ///< a firewall or a CDN answered
    std::optional<std::chrono::seconds> retry_after;
};

/// Bytes read of an error's body. When it has more, or was `cut_off`, its last run is dropped.
inline constexpr std::size_t max_error_bytes = std::size_t{64} * 1024;

/// Reads the body of an answer with an error status.
ProviderError read_provider_error(const net::HttpHead& head, std::string_view body, bool cut_off);

/// Reads an error inside an answer whose status was a success. A string is one in plain text.
ProviderError read_provider_error(const json::value& value);

/// Is the member `error` of an answer one? Some servers always have the member.
bool has_error(const json::value& value);

/// Is this JSON, which came where an answer was expected, an error, whatever else it has?
bool is_provider_error(const json::value& value);

/// Is it one in a form that counts only where there is no answer beside it ("code", "detail" …)?
bool tells_failure(const json::value& value);

/// Has it a text where errors have their message?
bool has_message(const json::value& value);

/// By the table of causes.
Reason reason_of(const ProviderError& provider_error);

/// Does it refuse the route, in any words and with any status (LM Studio's has 200)? It may also
/// refuse the call (401, 403) without a word about the key, as gateways do.
bool refuses_route(const ProviderError& provider_error);

/// The exception for that error of a call with `key` and `own_headers`. A short key may be a word
/// itself, and a header's value may consist of words: with one, the provider's are not shown.
UpstreamError understand(const ProviderError& provider_error, std::string_view key,
                         std::span<const net::KeyHeader> own_headers = {});

} // namespace usershell::adapters
