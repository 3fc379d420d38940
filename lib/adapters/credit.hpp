// Where a provider type reports what is left to spend with a key. Sources: OpenRouter "Get current
// API key" (limit_remaining, null for a key without a limit); DeepSeek "Get User Balance"; Moonshot
// "Check Balance"; SiliconFlow "Get User Info". Pure; any thread may call.
#pragma once

#include "adapters/calls.hpp"
#include "adapters/reading/json.hpp"

namespace usershell::adapters {

struct CreditSource {
    std::string_view type;   ///< of ProviderType
    std::string_view path;   ///< after the base URL
    std::string_view amount; ///< where it is, a JSON pointer
    /// Where its currency is; empty: US dollars, and yuan where the host is in China.
    std::string_view currency;
};

/// nullptr for a type that does not tell.
const CreditSource* find_credit_source(std::string_view type);

/// Null when there is no amount, or no currency, where they belong. No text of the provider is
/// taken over but a number and three letters.
std::optional<Credit> read_credit(const CreditSource& source, const BaseUrl& base_url,
                                  const json::value& value);

} // namespace usershell::adapters
