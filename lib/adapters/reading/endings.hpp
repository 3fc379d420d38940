// Why an answer ended, by the word that the provider has for it: one table for every protocol, for
// relays and for chats. Sources: OpenAI "Chat" (finish_reason) and "Responses" (status); Claude API
// reference, "Stop reasons"; Google AI "FinishReason"; Mistral, DeepSeek, Cohere, DashScope, vLLM
// and SGLang (values of finish_reason). Pure.
#pragma once

#include "adapters/calls.hpp"

#include <string_view>

namespace usershell::adapters {

/// Letters count in any case. A word of nothing ("", "null") is none, one of a failure ("error",
/// "internal_error", "abort" …) is failed, and one that the table does not have is other.
FinishReason finish_reason_of(std::string_view word);

} // namespace usershell::adapters
