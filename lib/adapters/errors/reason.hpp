// Why a call to a provider failed: one row a reason, which says what follows from it.
// provider_error.hpp finds the reason of an error.
#pragma once

#include "base/sentence.hpp"

#include <chrono>
#include <span>
#include <string_view>

namespace usershell::adapters {

enum class Reason {
    key_refused,
    not_allowed, ///< the key is right, but not for this: region, address, API not enabled
    blocked,     ///< a firewall in front of the provider answered
    out_of_credit,
    rate_limited,
    overloaded,
    failed, ///< another error of the provider's own
    unknown_model,
    wrong_api,       ///< a model of another API than the chat one
    too_long,        ///< for the model's context
    too_big,         ///< for the provider's server, or a proxy before it, in bytes
    too_many_tokens, ///< the request's limit is above what the model allows
    policy,
    rejected, ///< the request, for any other fault in it
    empty,    ///< an answer without text
    unreachable,
    forbidden_address,
    timed_out,
    bad_certificate,
    not_this_protocol, ///< garbage, HTML, a redirect, JSON of another shape
    too_large,
    cut_off,   ///< ended in the middle
    cancelled, ///< the client has gone
};

/// The cause of the failure; its health is lowered.
enum class Fault {
    key,
    provider, ///< or the way to it
    request,  ///< the provider and the key work: another request may succeed
    nobody,
};

struct ReasonRow {
    Reason reason;
    std::string_view name; ///< the contract's word for it, in answers
    Fault fault;
    bool next_key;                 ///< another key may succeed
    std::chrono::seconds cooldown; ///< of the key; 0: it has none
    English of_key;                ///< for a list of the keys tried: "key refused"
    English sentence;              ///< for a person: what happened, and what to do
};

/// All of them; several may have one name.
std::span<const ReasonRow> reason_rows();
const ReasonRow& row_of(Reason reason);

} // namespace usershell::adapters
