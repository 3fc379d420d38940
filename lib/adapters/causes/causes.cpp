#include "adapters/causes/causes.hpp"

#include "base/ascii.hpp"

#include <algorithm>
#include <array>

namespace usershell::adapters {

namespace {

/// Are the parts of the phrase in the message, one after the other?
bool says(const std::string& message, std::string_view phrase) {
    std::size_t from = 0;
    while (!phrase.empty()) {
        const auto part = phrase.substr(0, phrase.find('*'));
        const auto at = message.find(part, from);
        if (at == std::string::npos) return false;
        from = at + part.size();
        phrase.remove_prefix(std::min(part.size() + 1, phrase.size()));
    }
    return true;
}

bool matches(const Cause& cause, const ProviderError& error, const std::string& message) {
    const bool vague = cause.status == 0 && cause.word.empty() && error.status >= 500;
    return !vague && (cause.status == 0 || cause.status == error.status) &&
           (cause.word.empty() || error.has_word(cause.word)) && says(message, cause.phrase);
}

} // namespace

const Cause* find_cause(const ProviderError& provider_error) {
    const std::string message = lower_ascii(provider_error.message);
    for (const auto part :
         {credit_causes, access_causes, request_causes, load_causes, status_causes}) {
        const auto rows = part();
        const auto row = std::ranges::find_if(
            rows, [&](const Cause& cause) { return matches(cause, provider_error, message); });
        if (row != rows.end()) return &*row;
    }
    return nullptr;
}

} // namespace usershell::adapters
