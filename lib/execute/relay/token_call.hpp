// Calls that begin with an access token: by the head of a request, before a late body is read.
#pragma once

#include "execute/calls/call.hpp"
#include "pipeline/request_context.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace usershell::execute {

struct TokenCall {
    std::shared_ptr<Call> call;
    store::TokenRequest request;
    store::TokenCallStart start;
};

/// Begins the call, in the request's thread, which signs the caller in for the log. Without a free
/// slot, start.outcome is no_slot, and wait_for_slot() goes on. `route`: a word of
/// rules::token_route; empty: no route's limit applies. `model`: store::TokenRequest::model. Throws
/// Refusal not_signed_in, not_allowed or rate_limited.
TokenCall begin_token_call(Services& services, pipeline::RequestContext& context,
                           std::string_view route, std::optional<std::string> model = {});

/// Begins the call as soon as a slot is free. Throws Refusal rate_limited when that takes too long,
/// or too many calls of the user wait. Ends on the loop, if it has waited.
Task<> wait_for_slot(Services& services, TokenCall& call, web::Stream& stream);

} // namespace usershell::execute
