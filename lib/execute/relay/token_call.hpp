// Calls that begin with an access token: by the head of a request, before a late body is read.
#pragma once

#include "execute/calls/call.hpp"
#include "execute/relay/model_names.hpp"
#include "execute/relay/relay_body.hpp"
#include "opener/wire/call_starts.hpp"
#include "pipeline/route.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::execute {

struct TokenCall {
    std::shared_ptr<Call> call;
    opener::TokenRequest request;
    opener::TokenCallStart start;
};

/// Begins the call, in the request's thread, which signs the caller in for the log. Without a free
/// slot or free tokens, start.outcome reports it, and wait_for_slot() goes on. `route`: a word of
/// rules::token_route; empty: no route's limit applies. `body`: one that came with the head. Throws
/// Refusal not_signed_in, not_allowed or rate_limited.
TokenCall begin_token_call(Services& services, pipeline::RequestContext& context,
                           std::string_view route, const std::optional<RelayBody>& body = {});

/// Begins the call as soon as a slot and its tokens are free. Throws Refusal rate_limited when that
/// takes too long, or too many calls of the user wait. Ends on the loop, if it has waited.
Task<> wait_for_slot(Services& services, TokenCall& call, web::Stream& stream);

/// Loads the provider of a begun call into start.loaded, as soon as tokens of the day are free.
/// Throws Refusal not_found, not_allowed or rate_limited. Ends on a thread that may wait, or on the
/// loop. All references outlive it.
Task<> load_named(Services& services, TokenCall& call, web::Stream& stream, const NamedModel& named,
                  opener::TokenNeed need);

} // namespace usershell::execute
