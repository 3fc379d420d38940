#include "execute/calls/key_failover.hpp"

#include "base/error.hpp"
#include "crypto/envelope/unseal_error.hpp"
#include "crypto/secret.hpp"
#include "domain/entered.hpp"
#include "execute/calls/health_collector.hpp"
#include "opener/wire/protocol.hpp"
#include "store/call_facts.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace usershell::execute {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How keys are tried. CallProvider::keys_to_try() has their order. The next key is tried only after
// a failure that another key may not meet (see the reason's row), and only while no part of an
// answer was sent to the user: two answers must not be joined. All keys share the time and the
// budget of the one call.
//
// A key is readable from the answer of the opener until its try has ended: it belongs to try_key()
// alone then, in a Secret, and everything below is given a view of it. The values of the provider's
// own headers are readable until the last try has ended. A header that is held back ends the call
// before any key is used: without its header a call may go to another tenant.
//
// The opener gives another key only while the call has a right to run. It is given for the provider
// as it is then: where that is no more the one which the call began with, the key is not used.

constexpr milliseconds tick{5000};

/// Does rotation skip a key that is in cooldown?
bool skips_key(const store::CallProvider& provider) {
    return provider.rotates() &&
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

using opener::Opened;

crypto::UnsealError error_of(const Opened& closed) {
    return crypto::UnsealError{std::get<crypto::UnsealError::Reason>(closed)};
}

} // namespace

KeyFailover::KeyFailover(Services& services, Call& call, const CallLimits& limits)
    : services_{services},
      call_{call},
      limits_{limits},
      budget_{limits.requests, limits.work},
      readers_{services.readers_of(call.id().user)} {}

Task<KeyFailover::Outcome> KeyFailover::run(opener::OpenedProvider& provider, const Job& job) {
    const auto keys = keys_of(provider);
    if (keys.empty()) throw Refusal{ErrorCode::conflict, "This provider has no key. Enter one."_en};
    if (provider.type == nullptr)
        throw Refusal{ErrorCode::conflict, "This provider's type is no longer supported."_en};

    HealthCollector health{provider, only};
    opened_ = std::exchange(provider.first_key, std::nullopt);
    std::vector<FailedKey> tries;
    Outcome outcome;
    if (!provider.header_values) {
        outcome.failure = co_await find_key(provider, *keys.front(), true);
        co_await services_.loop.enter();
        if (outcome.failure) co_return outcome;
    }
    const Headers headers = headers_of(provider);
    for (const store::CallKey* key : keys) {
        outcome.key_name = key->name;
        outcome.failure = co_await try_key(provider, *key, headers, job);
        services_.calls.meter.tried(provider.type->value, outcome.failure.get());
        if (!outcome.failure) {
            health.succeeded({key->account, digest_}, !only && skips_key(provider));
            break;
        }
        if (!is_for_tool || outcome.failure->reason != "not_allowed")
            health.failed({key->account, digest_}, *outcome.failure);
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
    auto keys = provider.keys_to_try(only);
    if (keys.empty() && only) throw not_found();
    return keys;
}

KeyFailover::Headers KeyFailover::headers_of(opener::OpenedProvider& provider) const {
    Headers headers{.values = std::move(provider.header_values).value_or(std::vector<Opened>{})};
    for (std::size_t i = 0; i < headers.values.size(); ++i) {
        const std::string& name = provider.headers.at(i);
        if (!is_own_header(name, services_.settings.provider_cookies))
            throw Refusal{ErrorCode::conflict,
                          "A header of this provider is not permitted any more. Remove it."_en}
                .because(CallFailure::key_reasons[1]);
        const auto* const plain = std::get_if<crypto::Secret>(&headers.values[i]);
        if (plain == nullptr) throw header_refusal(error_of(headers.values[i]));
        headers.lines.push_back({.name = name, .prefix = {}, .key = plain->reveal()});
    }
    return headers;
}

/// Asks the opener for what the next try needs. Ends on any thread.
Task<std::unique_ptr<CallFailure>> KeyFailover::find_key(opener::OpenedProvider& provider,
                                                         const store::CallKey& key,
                                                         bool with_headers) {
    co_await services_.threads.enter();
    std::optional<opener::FoundKey> found;
    try {
        found = services_.opener.next_key({call_.id(), provider.id, key.account, with_headers});
    } catch (const Refusal& busy) {
        co_return std::make_unique<CallFailure>(busy);
    }
    if (!found || !found->key)
        co_return std::make_unique<CallFailure>(
            failure_to(adapters::UpstreamError{adapters::Reason::cancelled}, provider));
    opened_ = std::move(found->key);
    if (found->type != provider.type->value || found->base_url != provider.url().text())
        opened_->key = crypto::UnsealError::Reason::address_changed;
    if (!with_headers) co_return nullptr;
    provider.headers.clear();
    auto& values = provider.header_values.emplace();
    for (opener::OpenedHeader& header : found->headers) {
        provider.headers.push_back(std::move(header.name));
        values.push_back(std::move(header.value));
    }
    co_return nullptr;
}

Task<std::unique_ptr<CallFailure>> KeyFailover::try_key(opener::OpenedProvider& provider,
                                                        const store::CallKey& key,
                                                        const Headers& headers, const Job& job) {
    if (!opened_)
        if (auto failure = co_await find_key(provider, key, false)) co_return failure;
    try {
        const opener::OpenedKey opened = *std::exchange(opened_, std::nullopt);
        digest_ = opened.digest;
        const auto* const plain = std::get_if<crypto::Secret>(&opened.key);
        if (plain == nullptr) throw error_of(opened.key);
        co_await services_.loop.enter();
        call_.count_stream();
        if (client.on_tick) client.on_tick();
        const adapters::CallTarget target{*provider.type, provider.url(), plain->reveal()};
        const adapters::CallControl control{.http = services_.upstream.http,
                                            .options = {.limits = limits_left(),
                                                        .pool = call_.id().user.text(),
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
        co_return std::make_unique<CallFailure>(failure_to(error, provider));
    }
}

CallFailure KeyFailover::failure_to(const adapters::UpstreamError& error,
                                    const store::CallProvider& provider) const {
    // The error is the reader's view of an answer that it could not keep.
    if (call_.memory()->is_lost()) return CallFailure{lost_memory()};
    if (error.reason() == adapters::Reason::forbidden_address)
        call_.log_forbidden(provider.id); // the user is not told which it was
    return CallFailure{error, provider.url().host(), model};
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
