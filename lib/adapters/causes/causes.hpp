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
    std::string_view source; ///< the provider's document, or where else it was seen
    Reason reason;
    int status; ///< HTTP's; 0: any
    /// One of these, with "|" between them, is in what the provider says: "=word=" is a machine
    /// word (code, type, status, reason), other text is in the message. Lower case; "*" is any
    /// text; empty: the status says it.
    std::string_view signs;
};

/// The first row that matches; nullptr when none does. Without a status of its own, a phrase
/// does not match 500 or more: the messages of failing servers may contain any phrase.
const Cause* find_cause(const ProviderError& provider_error);

/// Is it a machine word of the table?
bool is_cause_word(std::string_view word);

/// The whole table.
std::span<const Cause> causes();

} // namespace usershell::adapters
