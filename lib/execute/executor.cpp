#include "execute/executor.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/url.hpp"
#include "execute/findings.hpp"

#include <algorithm>

namespace usershell {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::vector<const CallKey*> enabled_accounts(const CallProvider& provider) {
    std::vector<const CallKey*> keys;
    for (const CallKey& key : provider.accounts) {
        if (key.is_enabled) keys.push_back(&key);
    }
    return keys;
}

bool rotates(const CallProvider& provider) {
    return provider.round_robin_accounts &&
           std::ranges::any_of(provider.accounts, &CallKey::is_enabled);
}

/// Is a key that rotation would use left out for a while?
bool passes_over(const CallProvider& provider) {
    return rotates(provider) && std::ranges::any_of(provider.accounts, [](const CallKey& key) {
               return key.is_enabled && key.cooling;
           });
}

} // namespace

std::vector<const CallKey*> order_keys(const CallProvider& provider, std::uint64_t position) {
    if (!rotates(provider)) {
        return provider.own_key ? std::vector<const CallKey*>{&*provider.own_key}
                                : std::vector<const CallKey*>{};
    }
    auto keys = enabled_accounts(provider);
    const auto first = static_cast<std::ptrdiff_t>(position % keys.size());
    std::rotate(keys.begin(), keys.begin() + first, keys.end());
    std::stable_partition(keys.begin(), keys.end(),
                          [](const CallKey* key) { return !key->cooling; });
    return keys;
}

Executor::Executor(Execute& wing, Lease& lease, UserId user, HttpLimits limits)
    : wing_{wing},
      lease_{lease},
      user_{std::move(user)},
      limits_{limits} {}

void Executor::run(const CallProvider& provider, const Job& job) {
    const auto keys = keys_in_order(provider);
    if (keys.empty()) throw Refusal{Code::conflict, "This provider has no key. Enter one."};
    lease_.give_back();

    Findings findings{provider};
    std::exception_ptr failure;
    for (const CallKey* key : keys) {
        failure = try_key(provider, *key, job, findings);
        if (!failure || !findings.worth_another_key() || !may_try_again()) break;
    }
    record(findings);
    if (failure) std::rethrow_exception(failure);
}

std::vector<const CallKey*> Executor::keys_in_order(const CallProvider& provider) {
    if (only_) {
        std::vector<const CallKey*> keys;
        for (const CallKey& key : provider.accounts) {
            if (key.account == only_) keys.push_back(&key);
        }
        if (keys.empty()) throw not_found();
        return keys;
    }
    const std::uint64_t position =
        rotates(provider) ? next_rotation(lease_, user_, provider.id) : std::uint64_t{0};
    return order_keys(provider, position);
}

std::exception_ptr Executor::try_key(const CallProvider& provider, const CallKey& key,
                                     const Job& job, Findings& findings) {
    const BaseUrl base_url = BaseUrl::parse(provider.base_url);
    const ProviderType* type = find_provider_type(provider.type);
    if (type == nullptr)
        throw Refusal{Code::conflict, "This provider's type is no longer supported."};
    try {
        const Secret plain = wing_.unsealer.open(
            {user_, provider.id, key.account, base_url.origin()}, key.scope, key.sealed);
        job({*type, base_url, plain.reveal()},
            {wing_.http, limits_left(), presence_.gone_fd, presence_.on_tick});
        findings.succeeded(key, !only_ && passes_over(provider));
        return nullptr;
    } catch (const UnsealError& error) {
        findings.failed(key, error);
        return std::current_exception();
    } catch (const UpstreamError& error) {
        findings.failed(key, error, only_.has_value());
        return std::current_exception();
    }
}

void Executor::record(const Findings& findings) {
    if (!findings.any()) return;
    try {
        record_findings(lease_, user_, findings.record());
    } catch (const std::exception& error) {
        log(Level::warning, "findings not recorded", {{"error", error.what()}});
    }
}

/// Keys share the time of one call.
HttpLimits Executor::limits_left() const {
    HttpLimits limits = limits_;
    const auto spent = std::chrono::duration_cast<milliseconds>(steady_clock::now() - begun_);
    limits.total = std::max(milliseconds{1}, limits.total - spent);
    limits.connect = std::min(limits.connect, limits.total);
    return limits;
}

} // namespace usershell
