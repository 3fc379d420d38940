#include "execute/calls/key_failover.hpp"

#include "base/address/url.hpp"
#include "base/error.hpp"
#include "execute/calls/health_report.hpp"

#include <algorithm>
#include <utility>

namespace usershell::execute {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// How keys are tried. Without rotation there is one key, the provider's own. With it, each call
// begins at the next enabled account, by a counter in the store that all processes share; a key
// that has to pause comes last instead of not at all, since how long it must pause is often a
// guess, and a call that may succeed is better than none. The next key is tried only after a
// failure that another key may not meet (its reason's row says so), and only while nothing of an
// answer was sent to the user: two answers must not be joined. All keys share the time and the
// budget of the one call.
//
// A key is readable from the opening of its envelope until its try has ended: it belongs to
// try_key() alone, in a Secret, and everything below is given a view of it.

std::vector<const store::CallKey*> enabled_accounts(const store::CallProvider& provider) {
    std::vector<const store::CallKey*> keys;
    for (const store::CallKey& key : provider.accounts) {
        if (key.is_enabled) keys.push_back(&key);
    }
    return keys;
}

bool rotates(const store::CallProvider& provider) {
    return provider.round_robin_accounts &&
           std::ranges::any_of(provider.accounts, &store::CallKey::is_enabled);
}

constexpr milliseconds tick{5000};

/// Is a key that rotation would use left out for a while?
bool passes_over(const store::CallProvider& provider) {
    return rotates(provider) &&
           std::ranges::any_of(provider.accounts, [](const store::CallKey& key) {
               return key.is_enabled && key.is_in_cooldown;
           });
}

} // namespace

std::vector<const store::CallKey*> order_keys(const store::CallProvider& provider,
                                              std::uint64_t position) {
    if (!rotates(provider)) {
        return provider.own_key ? std::vector<const store::CallKey*>{&*provider.own_key}
                                : std::vector<const store::CallKey*>{};
    }
    auto keys = enabled_accounts(provider);
    const auto first = static_cast<std::ptrdiff_t>(position % keys.size());
    std::rotate(keys.begin(), keys.begin() + first, keys.end());
    std::stable_partition(keys.begin(), keys.end(),
                          [](const store::CallKey* key) { return !key->is_in_cooldown; });
    return keys;
}

KeyFailover::KeyFailover(Services& services, Call& call, const CallLimits& limits)
    : services_{services},
      call_{call},
      limits_{limits},
      budget_{limits.requests, limits.work} {}

Task<std::string> KeyFailover::run(const store::CallProvider& provider, const Job& job) {
    co_await services_.threads.enter();
    const auto keys = keys_in_order(provider);
    if (keys.empty()) throw Refusal{ErrorCode::conflict, "This provider has no key. Enter one."};

    HealthReport report{provider, only_};
    std::vector<FailedKey> tries;
    for (const store::CallKey* key : keys) {
        const std::optional<CallFailure> failure = co_await try_key(provider, *key, job);
        services_.meter.tried(provider.type, failure);
        if (!failure) {
            report.succeeded(*key, !only_ && passes_over(provider));
            co_await record(report);
            co_return key->name;
        }
        report.failed(*key, *failure);
        tries.push_back({key->name, *failure});
        if (!failure->next_key || !may_try_again() || !budget_.has_request()) break;
    }
    CallFailure failure = failure_of(tries);
    report.explain(failure);
    co_await record(report);
    throw CallFailed{std::move(failure)};
}

std::vector<const store::CallKey*> KeyFailover::keys_in_order(const store::CallProvider& provider) {
    if (only_) {
        std::vector<const store::CallKey*> keys;
        for (const store::CallKey& key : provider.accounts) {
            if (key.account == only_) keys.push_back(&key);
        }
        if (keys.empty()) throw not_found();
        return keys;
    }
    if (!rotates(provider) || aside_) return order_keys(provider, 0);
    store::Lease lease{services_.database};
    return order_keys(provider, store::next_rotation(lease, call_.id(), provider.id));
}

Task<std::optional<CallFailure>> KeyFailover::try_key(const store::CallProvider& provider,
                                                      const store::CallKey& key, const Job& job) {
    const BaseUrl base_url = BaseUrl::parse(provider.base_url);
    const ProviderType* type = find_provider_type(provider.type);
    if (type == nullptr)
        throw Refusal{ErrorCode::conflict, "This provider's type is no longer supported."};
    const UserId& user = call_.id().user;
    try {
        co_await services_.threads.enter();
        const crypto::Secret plain = services_.unsealer.open(
            {user, provider.id, key.account, provider.type, provider.base_url}, key.sealed);
        co_await services_.loop.enter();
        if (client_.on_tick) client_.on_tick();
        const adapters::CallTarget target{*type, base_url, plain.reveal()};
        const adapters::CallControl control{.http = services_.http,
                                            .limits = limits_left(),
                                            .readers = &services_.readers,
                                            .budget = &budget_,
                                            .cancellation = client_.cancellation,
                                            .writable = client_.writable,
                                            .tick = tick,
                                            .on_tick = client_.on_tick,
                                            .pool = user.text()};
        co_await job(target, control);
        co_return std::nullopt;
    } catch (const crypto::UnsealError& error) {
        co_return CallFailure{error};
    } catch (const adapters::UpstreamError& error) {
        if (error.reason() == adapters::Reason::forbidden_address)
            call_.log_forbidden(provider.id); // the user is not told which it was
        const std::string model = model_.empty() ? "" : "\u201c" + model_ + "\u201d at ";
        co_return CallFailure{error, model + base_url.host()};
    }
}

Task<> KeyFailover::record(const HealthReport& report) {
    const store::HealthUpdate* const found = !aside_ && report.any() ? &report.record() : nullptr;
    if (ends_call_) {
        co_await call_.end(found);
    } else if (found != nullptr) {
        co_await services_.threads.enter();
        call_.record(*found);
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
