// The end of an answer: why it ended, and how many tokens it took. One table for every
// protocol, for relays and for chats. Sources: OpenAI "Chat" (finish_reason, usage) and "Responses"
// (status); Claude API reference, "Stop reasons", "Prompt caching"; Google AI "FinishReason",
// "UsageMetadata"; Mistral, DeepSeek, Cohere, DashScope, vLLM and SGLang (values of finish_reason);
// xAI (tokens of the reasoning). Pure.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/reading/json.hpp"

#include <string_view>

namespace usershell::adapters {

/// Letters count in any case. A word of nothing ("", "null") is none, one of a failure ("error",
/// "internal_error", "abort" …) is failed, and one that the table does not have is other.
FinishReason finish_reason_of(std::string_view word);

/// Does the name of an event call it an error? One of a name with a point in it is another's part.
bool names_failure(std::string_view event);
/// Does a text that is no JSON begin as an error does?
bool tells_error(std::string_view text);

/// Overwrites the members that `told`, the object of an answer's usage, has.
void read_usage(const json::value& told, Usage& usage);

} // namespace usershell::adapters
