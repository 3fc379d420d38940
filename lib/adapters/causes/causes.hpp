// The errors that providers are known to give, and the reason that each means: one row an error,
// with the document that describes it. The consequences of a reason are in
// errors/upstream_error.cpp.
//
// Rows are tried in their order (credit, access, request, load, statuses), and the first match
// counts; so specific rows come before general ones. Matching ignores which provider a row names:
// gateways pass on the errors of the providers behind them, and many providers use OpenAI's words.
#pragma once

#include "adapters/errors/provider_error.hpp"
#include "adapters/errors/upstream_error.hpp"

#include <span>
#include <string_view>

namespace usershell::adapters {

struct Cause {
    std::string_view provider; ///< whose error it is; "several" where it is common
    int status;                ///< HTTP's; 0: any
    std::string_view word;     ///< a machine word (code, type, status, reason); empty: any
    std::string_view phrase;   ///< in the message, lower case, "*" for anything; empty: any
    Reason reason;
    std::string_view source; ///< the provider's document, or where else it was seen
};

/// The first row that matches; nullptr when none does. A row that has only a phrase does not match
/// a status of 500 or more: the messages of failing servers may contain any phrase.
const Cause* find_cause(const ProviderError& provider_error);

/// Is it the machine word of a row?
bool is_cause_word(std::string_view word);

/// The whole table.
std::span<const Cause> causes();

} // namespace usershell::adapters
