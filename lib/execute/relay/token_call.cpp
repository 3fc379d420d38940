#include "execute/relay/token_call.hpp"

#include "base/ascii.hpp"
#include "base/error.hpp"
#include "crypto/token.hpp"
#include "domain/address/address.hpp"
#include "domain/rules.hpp"
#include "execute/services.hpp"
#include "opener/wire/call_starts.hpp"
#include "runtime/signals.hpp"

#include <functional>
#include <optional>

namespace usershell::execute {

namespace {

constexpr std::chrono::seconds max_wait{10};
constexpr std::chrono::milliseconds between_tries{250};

/// Tools send the token in one of two headers, some send both, and an own key in the other. A value
/// that has the form of a token counts.
std::string_view token_of(const web::Request& request) {
    constexpr std::string_view bearer = "bearer ";
    std::string_view authorization = request.header("authorization").value_or("");
    if (lower_ascii(authorization.substr(0, bearer.size())) == bearer)
        authorization.remove_prefix(bearer.size());
    const std::string_view key = request.header("x-api-key").value_or("");
    const bool first = crypto::is_access_token(authorization);
    const bool second = crypto::is_access_token(key);
    if (first == second && (!first || authorization != key))
        throw Refusal{ErrorCode::not_signed_in,
                      "Send an access token as Authorization: Bearer, or as x-api-key."_en};
    return first ? authorization : key;
}

std::string network_of(const web::Request& request) {
    const auto address = Address::parse(request.client_address);
    return address ? address->rough_network() : std::string{};
}

store::Caller caller_of(const UserId& user) {
    return {.user = user,
            .session = SessionId::parse(global_owner().text()).value(),
            .email = {},
            .display_name = {},
            .antiforgery_key = {},
            .frame_key = {},
            .cookie_lifetime = {},
            .calls_token_hash = {}};
}

constexpr std::chrono::seconds next_answer{5}; ///< in which some call may end

Refusal tokens_reserved() {
    return Refusal{
        ErrorCode::rate_limited,
        "Calls under way may take what is left of this access token’s day. Wait until one has "
        "ended."_en}
        .retry_after(next_answer);
}

/// Refuses for good what no waiting helps.
void require_tokens(opener::TokenOutcome outcome) {
    if (outcome == opener::TokenOutcome::tokens_spent)
        throw Refusal{ErrorCode::not_allowed,
                      "This access token has too few tokens left for today. The day ends at "
                      "midnight, UTC."_en}
            .because("tokens_spent");
    if (outcome == opener::TokenOutcome::too_many_tokens)
        throw Refusal{ErrorCode::not_allowed,
                      "The request alone takes more tokens than this access token has a day."_en}
            .because("tokens_spent");
}

Refusal no_slot() {
    return Refusal{ErrorCode::rate_limited,
                   {"Your tools have {count} calls under way. Wait until one has ended."_en,
                    {{"count", std::to_string(rules::max_token_calls)}}}}
        .retry_after(std::chrono::seconds{1});
}

void require_begun(const opener::TokenCallStart& start) {
    require_tokens(start.outcome);
    switch (start.outcome) {
    case opener::TokenOutcome::route_not_allowed:
        throw Refusal{ErrorCode::not_allowed, "This access token does not allow this route."_en};
    case opener::TokenOutcome::too_many_requests:
        throw Refusal{ErrorCode::rate_limited,
                      "This access token has made all its requests of this minute."_en}
            .retry_after(start.wait);
    default:
        break; // begun, or it waits
    }
}

bool waits(opener::TokenOutcome outcome) {
    return outcome == opener::TokenOutcome::no_slot ||
           outcome == opener::TokenOutcome::tokens_reserved;
}

Refusal still_waiting(opener::TokenOutcome outcome) {
    return outcome == opener::TokenOutcome::no_slot ? no_slot() : tokens_reserved();
}

/// Tries again until it need not wait. Ends on the loop.
Task<> wait_while(Services& services, TokenCall& call, web::Stream& stream,
                  std::function<opener::TokenOutcome()> again) {
    opener::TokenOutcome outcome = call.start.outcome;
    UserShares::Share one{services.calls.waiting, call.start.user};
    if (!one.grow_to(1)) throw still_waiting(outcome);
    const auto end = std::chrono::steady_clock::now() + max_wait;
    while (waits(outcome)) {
        if (stream.cancellation().is_cancelled() || std::chrono::steady_clock::now() >= end)
            throw still_waiting(outcome);
        co_await sleep_on(services.loop, between_tries);
        co_await services.threads.enter();
        outcome = again();
        co_await services.loop.enter();
    }
}

} // namespace

TokenCall begin_token_call(Services& services, pipeline::RequestContext& context,
                           std::string_view route, const std::optional<RelayBody>& body) {
    const auto proof =
        crypto::prove_access_token(services.installation(), token_of(context.request));
    if (!proof) throw Refusal{ErrorCode::not_signed_in, "This is no access token."_en};
    opener::TokenRequest request{.proof = *proof,
                                 .route = route,
                                 .network = network_of(context.request),
                                 .need = body ? body->need : opener::TokenNeed{},
                                 .model = body ? std::optional{body->model} : std::nullopt};
    auto call = std::make_shared<Call>(services.calls, context.request.id);
    auto start = call->begin(request);
    context.signed_in = caller_of(start.user);
    require_begun(start);
    return {std::move(call), std::move(request), std::move(start)};
}

Task<> wait_for_slot(Services& services, TokenCall& call, web::Stream& stream) {
    if (!waits(call.start.outcome)) co_return;
    co_await wait_while(services, call, stream, [&call] {
        call.start = call.call->begin(call.request);
        require_begun(call.start);
        return call.start.outcome;
    });
}

Task<> load_named(Services& services, TokenCall& call, web::Stream& stream, const NamedModel& named,
                  opener::TokenNeed need) {
    const auto load = [&] {
        auto loaded = opener::load_provider(services.opener, call.call->id(), named.provider,
                                            named.model, need);
        if (!loaded) throw unknown_model(named.model);
        require_tokens(loaded->outcome);
        call.start.loaded = std::move(loaded->provider);
        return loaded->outcome;
    };
    co_await services.threads.enter();
    call.start.outcome = load();
    if (waits(call.start.outcome)) co_await wait_while(services, call, stream, load);
}

} // namespace usershell::execute
