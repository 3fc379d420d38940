#include "adapters/causes/causes.hpp"

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

bool matches(const Cause& cause, const ProviderError& error) {
    const bool vague = cause.status == 0 && cause.word.empty() && error.status >= 500;
    return !vague && (cause.status == 0 || cause.status == error.status) &&
           (cause.word.empty() || error.has_word(cause.word)) && says(error.message, cause.phrase);
}

template <class Holds>
const Cause* find_row(Holds holds) {
    for (const auto part :
         {credit_causes, access_causes, request_causes, load_causes, status_causes}) {
        const auto rows = part();
        const auto row = std::ranges::find_if(rows, holds);
        if (row != rows.end()) return &*row;
    }
    return nullptr;
}

} // namespace

const Cause* find_cause(const ProviderError& provider_error) {
    return find_row([&](const Cause& cause) { return matches(cause, provider_error); });
}

bool is_cause_word(std::string_view word) {
    return !word.empty() && find_row([&](const Cause& cause) { return cause.word == word; });
}

} // namespace usershell::adapters
