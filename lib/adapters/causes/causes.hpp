// What providers say when they refuse, and what it means: one row a saying, with the document that
// it is from. What follows from the reason (whether the next key is tried, for how long a key
// rests, whose health it lowers, what a person is told) stands in reason.cpp's row of it.
//
// The rows stand in an order: credit, access, request, load, statuses. The first that matches
// counts, so what is said in particular stands before what is said in general. Whom a row is from
// is for readers: gateways repeat what is behind them, and anybody may speak OpenAI's words.
#pragma once

#include "adapters/errors/provider_error.hpp"
#include "adapters/errors/reason.hpp"

#include <span>
#include <string_view>

namespace usershell::adapters {

struct Cause {
    std::string_view provider; ///< who says it; "several" where it is common
    int status;                ///< HTTP's; 0: any
    std::string_view word;     ///< a machine word (code, type, status, reason); empty: any
    std::string_view phrase;   ///< in the message, lower case, "*" for anything; empty: any
    Reason reason;
    std::string_view source; ///< the provider's document, or where else it was seen
};

/// The first row that matches; nullptr when none does. A row of a phrase alone does not match a
/// status of 500 or more, as servers that fail talk of anything.
const Cause* find_cause(const ProviderError& provider_error);

// The parts of the table, one file each.
std::span<const Cause> credit_causes();
std::span<const Cause> access_causes();
std::span<const Cause> request_causes();
std::span<const Cause> load_causes();
std::span<const Cause> status_causes();

} // namespace usershell::adapters
