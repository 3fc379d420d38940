#include "execute/calls/key_failover.hpp"

#include "base/error.hpp"
#include "crypto/envelope/unseal_error.hpp"
#include "crypto/secret.hpp"
#include "domain/entered.hpp"
#include "execute/calls/health_collector.hpp"
#include "opener/wire/call_starts.hpp"

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
// own headers are readable until the provider is gone. A header that is held back ends the call
// before any key is used: without its header a call may go to another tenant.
//
// The opener gives another key only while the call has a right to run. It is given for the provider
// as it is then: where that is no more the one which the call began with, the key is not used.

constexpr milliseconds tick{5000};

/// Does rotation skip a key that is in cooldown?
bool skips_key(const opener::CallProvider& provider) {
    return provider.round_robin_accounts &&
           std::ranges::any_of(provider.accounts, [](const opener::CallKey& key) {
               return key.is_enabled && key.is_in_cooldown;
           });
}

Refusal header_refusal(const crypto::UnsealError& error) {
    return Refusal{ErrorCode::conflict,
                   error.reason() == crypto::UnsealError::Reason::address_changed
                       ? "A header of this provider was entered for another address or type. Enter "
                         "it again."_en
                       : "A header of this provider can’t be opened. Enter it again."_en}
        .because(CallFailure{error}.reason);
}

/// Views of the provider's headers.
std::vector<net::KeyHeader> headers_of(const opener::CallProvider& provider, bool cookies) {
    std::vector<net::KeyHeader> lines;
    for (const opener::CallHeader& header : provider.headers) {
        if (!is_own_header(header.name, cookies))
            throw Refusal{ErrorCode::conflict,
                          "A header of this provider is not permitted any more. Remove it."_en}
                .because(CallFailure::key_unavailable);
        const opener::Opened& value = header.value.value().key;
        const auto* const plain = std::get_if<crypto::Secret>(&value);
        if (plain == nullptr)
            throw header_refusal(crypto::UnsealError{std::get<crypto::UnsealError::Reason>(value)});
        lines.push_back({.name = header.name, .prefix = {}, .key = plain->reveal()});
    }
    return lines;
}

/// The key was removed while the call ran. The next one may be there.
CallFailure gone() {
    CallFailure failure{crypto::UnsealError{crypto::UnsealError::Reason::key_unavailable}};
    failure.fault = adapters::Fault::nobody;
    return failure;
}

} // namespace

KeyFailover::KeyFailover(Services& services, Call& call, const CallLimits& limits)
    : services_{services},
      call_{call},
      limits_{limits},
      budget_{limits.requests, limits.work},
      readers_{services.readers_of(call.id().user)} {}

Task<KeyFailover::Outcome> KeyFailover::run(opener::CallProvider& provider, const Job& job) {
    const auto keys = provider.keys_to_try(only);
    if (keys.empty() && only) throw not_found();
    if (keys.empty())
        throw Refusal{ErrorCode::conflict, "This provider has no key. Enter one."_en}.because(
            CallFailure::key_unavailable);
    if (provider.type == nullptr)
        throw Refusal{ErrorCode::conflict, "This provider’s type is no longer supported."_en};

    HealthCollector health{provider, only};
    std::vector<FailedKey> tries;
    Outcome outcome;
    for (opener::CallKey* key : keys) {
        outcome.key_name = key->name;
        digest_.clear();
        outcome.failure = co_await try_key(provider, *key, job);
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

/// Asks the opener for what the try needs. Ends on any thread.
Task<std::unique_ptr<CallFailure>> KeyFailover::find_key(opener::CallProvider& provider,
                                                         opener::CallKey& key) {
    const bool with_headers = std::ranges::any_of(
        provider.headers, [](const opener::CallHeader& header) { return !header.value; });
    co_await services_.threads.enter();
    std::optional<opener::NextKey> found;
    try {
        found =
            opener::next_key(services_.opener, call_.id(), provider.id, key.account, with_headers);
    } catch (const Refusal& busy) {
        co_return std::make_unique<CallFailure>(busy);
    }
    if (!found)
        co_return std::make_unique<CallFailure>(
            failure_to(adapters::UpstreamError{adapters::Reason::cancelled}, provider));
    if (!found->key) co_return std::make_unique<CallFailure>(gone());
    key.opened = std::move(found->key);
    if (found->type != provider.type->value || found->base_url != provider.base_url)
        key.opened->key = crypto::UnsealError::Reason::address_changed;
    if (with_headers) provider.headers = std::move(found->headers);
    co_return nullptr;
}

Task<std::unique_ptr<CallFailure>> KeyFailover::try_key(opener::CallProvider& provider,
                                                        opener::CallKey& key, const Job& job) {
    if (!key.opened)
        if (auto failure = co_await find_key(provider, key)) co_return failure;
    try {
        const opener::OpenedKey opened = *std::exchange(key.opened, std::nullopt);
        digest_ = opened.digest;
        const auto headers = headers_of(provider, services_.settings.provider_cookies);
        const auto* const plain = std::get_if<crypto::Secret>(&opened.key);
        if (plain == nullptr)
            throw crypto::UnsealError{std::get<crypto::UnsealError::Reason>(opened.key)};
        co_await services_.loop.enter();
        call_.count_stream();
        if (client.on_tick) client.on_tick();
        const BaseUrl url = provider.url();
        const adapters::CallTarget target{*provider.type, url, plain->reveal()};
        const adapters::CallControl control{.http = services_.upstream.http,
                                            .options = {.limits = limits_left(),
                                                        .pool = call_.id().user.text(),
                                                        .own_headers = headers,
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
                                    const opener::CallProvider& provider) const {
    // The error is the reader's view of an answer that it could not keep.
    if (call_.memory()->is_lost()) return CallFailure{lost_memory()};
    if (error.reason() == adapters::Reason::forbidden_address)
        call_.log_forbidden(provider.id); // the user is not told which it was
    CallFailure failure{error, model};
    if (provider.type->owns_base_url && failure.reason == "unreachable")
        failure.sentence = {"{host} can’t be reached from this server. Try again later."_en,
                            {{"host", provider.url().host()}}};
    return failure;
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
