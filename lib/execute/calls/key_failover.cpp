#include "execute/calls/key_failover.hpp"

#include "base/error.hpp"
#include "domain/entered.hpp"
#include "execute/calls/health_collector.hpp"

#include <algorithm>
#include <utility>

namespace usershell::execute {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How keys are tried. Without rotation there is one key, the provider's own. With it, each call
// begins at the next enabled account, by a counter in the store that all processes share. The store
// returns the accounts in the order of the call (sql/0022_calls.sql, keys_in_turn). A key in
// cooldown is tried last instead of not at all: its cooldown is often a guess, and a call that may
// succeed is better than none. The next key is tried only after a failure that another key may not
// meet (see the reason's row), and only while no part of an answer was sent to the user: two
// answers must not be joined. All keys share the time and the budget of the one call.
//
// A key is readable from the opening of its envelope until its try has ended: it belongs to
// try_key() alone, in a Secret, and everything below is given a view of it. The values of the
// provider's own headers are readable until the last try has ended. A header that is held back ends
// the call before any key is opened: without its header a call may go to another tenant.

bool rotates(const store::CallProvider& provider) {
    return provider.round_robin_accounts &&
           std::ranges::any_of(provider.accounts, &store::CallKey::is_enabled);
}

constexpr milliseconds tick{5000};

/// Does rotation skip a key that is in cooldown?
bool skips_key(const store::CallProvider& provider) {
    return rotates(provider) &&
           std::ranges::any_of(provider.accounts, [](const store::CallKey& key) {
               return key.is_enabled && key.is_in_cooldown;
           });
}

Refusal header_refusal(const crypto::UnsealError& error) {
    return Refusal{ErrorCode::conflict,
                   error.reason() == crypto::UnsealError::Reason::address_changed
                       ? "A header of this provider was entered for another address or type. Enter "
                         "it again."_en
                       : "A header of this provider can't be opened. Enter it again."_en}
        .because(CallFailure{error}.reason);
}

} // namespace

KeyFailover::KeyFailover(Services& services, Call& call, const CallLimits& limits)
    : services_{services},
      call_{call},
      limits_{limits},
      budget_{limits.requests, limits.work},
      readers_{services.readers_of(call.id().user)} {}

Task<KeyFailover::Outcome> KeyFailover::run(const store::CallProvider& provider, const Job& job) {
    const auto keys = keys_of(provider);
    if (keys.empty()) throw Refusal{ErrorCode::conflict, "This provider has no key. Enter one."_en};
    if (provider.type == nullptr)
        throw Refusal{ErrorCode::conflict, "This provider's type is no longer supported."_en};

    const Headers headers = co_await open_headers(provider);
    HealthCollector health{provider, only};
    std::vector<FailedKey> tries;
    Outcome outcome;
    for (const store::CallKey* key : keys) {
        outcome.key_name = key->name;
        outcome.failure = co_await try_key(provider, *key, headers, job);
        services_.calls.meter.tried(provider.type->value, outcome.failure.get());
        if (!outcome.failure) {
            health.succeeded(*key, !only && skips_key(provider));
            break;
        }
        if (!is_for_tool || outcome.failure->reason != "not_allowed")
            health.failed(*key, *outcome.failure);
        tries.push_back({key->name, *outcome.failure});
        if (!outcome.failure->next_key || !may_try_again() || !budget_.has_request()) break;
    }
    if (outcome.failure) {
        *outcome.failure = failure_of(tries);
        health.explain(*outcome.failure);
        if (is_for_tool) *outcome.failure = for_tool(tries);
    }
    co_await services_.loop.enter();
    if (auto report = health.take(); report && !is_aside) call_.report(*std::move(report));
    co_return outcome;
}

std::vector<const store::CallKey*> KeyFailover::keys_of(const store::CallProvider& provider) const {
    std::vector<const store::CallKey*> keys;
    if (!only && !rotates(provider)) {
        if (provider.own_key) keys.push_back(&*provider.own_key);
        return keys;
    }
    for (const store::CallKey& key : provider.accounts)
        if (only ? key.account == only : key.is_enabled) keys.push_back(&key);
    if (keys.empty()) throw not_found();
    return keys;
}

Task<KeyFailover::Headers> KeyFailover::open_headers(const store::CallProvider& provider) {
    Headers headers;
    if (provider.headers.empty()) co_return headers;
    co_await services_.threads.enter();
    for (const store::CallHeader& header : provider.headers) {
        if (!is_own_header(header.name, services_.settings.provider_cookies))
            throw Refusal{ErrorCode::conflict,
                          "A header of this provider is not permitted any more. Remove it."_en}
                .because(CallFailure::key_reasons[1]);
        try {
            headers.values.push_back(services_.keys.unsealer.open(
                {call_.id().user, provider.id, std::nullopt, std::string{provider.type->value},
                 provider.url().text(), header.name},
                header.sealed));
        } catch (const crypto::UnsealError& error) {
            throw header_refusal(error);
        }
        headers.lines.push_back(
            {.name = header.name, .prefix = {}, .key = headers.values.back().reveal()});
    }
    co_await services_.loop.enter();
    co_return headers;
}

Task<std::unique_ptr<CallFailure>> KeyFailover::try_key(const store::CallProvider& provider,
                                                        const store::CallKey& key,
                                                        const Headers& headers, const Job& job) {
    const UserId& user = call_.id().user;
    try {
        co_await services_.threads.enter();
        const crypto::Secret plain =
            services_.keys.unsealer.open({user, provider.id, key.account,
                                          std::string{provider.type->value}, provider.url().text()},
                                         key.sealed);
        co_await services_.loop.enter();
        call_.count_stream();
        if (client.on_tick) client.on_tick();
        const adapters::CallTarget target{*provider.type, provider.url(), plain.reveal()};
        const adapters::CallControl control{.http = services_.upstream.http,
                                            .options = {.limits = limits_left(),
                                                        .pool = user.text(),
                                                        .own_headers = headers.lines,
                                                        .cancellation = client.cancellation,
                                                        .writable = client.writable,
                                                        .budget = &budget_,
                                                        .memory = call_.memory().get(),
                                                        .tick = tick,
                                                        .on_tick = client.on_tick},
                                            .readers = &readers_};
        co_await job(target, control);
        co_return nullptr;
    } catch (const crypto::UnsealError& error) {
        co_return std::make_unique<CallFailure>(error);
    } catch (const adapters::UpstreamError& error) {
        // The error is the reader's view of an answer that it could not keep.
        if (call_.memory()->is_lost()) co_return std::make_unique<CallFailure>(lost_memory());
        if (error.reason() == adapters::Reason::forbidden_address)
            call_.log_forbidden(provider.id); // the user is not told which it was
        co_return std::make_unique<CallFailure>(error, provider.url().host(), model);
    }
}

/// Keys share the time of one call.
net::HttpLimits KeyFailover::limits_left() const {
    net::HttpLimits limits = limits_;
    const auto spent = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun_);
    limits.total = std::max(milliseconds{1}, limits.total - spent);
    limits.connect = std::min(limits.connect, limits.total);
    return limits;
}

} // namespace usershell::execute
