#include "execute/calls/health_collector.hpp"

#include <algorithm>

namespace usershell::execute {

namespace {

using adapters::Fault;

constexpr English not_every_key = "Working, but at least one key fails."_en;
constexpr English failed_alone =
    "One of this provider’s keys has failed its test. Others may still be usable."_en;

bool is_usable(const opener::CallKey& key) { return !key.is_unhealthy && !key.is_in_cooldown; }

} // namespace

HealthCollector::HealthCollector(const opener::CallProvider& provider,
                                 std::optional<AccountId> alone)
    : provider_{provider},
      alone_{std::move(alone)},
      report_{.provider = provider.id, .base_url = provider.url()} {}

void HealthCollector::failed(const TriedKey& key, const CallFailure& failure) {
    switch (failure.fault) {
    case Fault::nobody:
        return;
    case Fault::request:
        if (any_) provider_is(store::Health::degraded, not_every_key);
        return;
    case Fault::key:
    case Fault::provider:
        if (failure.fault == Fault::key && any_other_usable())
            provider_is(store::Health::degraded, failed_alone);
        else
            provider_is(store::Health::unhealthy, failure.sentence);
        if (alone_ || failure.fault == Fault::key)
            key_is(key, store::Health::unhealthy, failure.sentence, failure.cooldown);
    }
}

void HealthCollector::succeeded(const TriedKey& key, bool others_left_out) {
    const bool smooth = !any_ && !others_left_out && !any_other_unhealthy();
    provider_is(smooth ? store::Health::healthy : store::Health::degraded,
                smooth ? Sentence{} : not_every_key);
    key_is(key, store::Health::healthy, {}, std::nullopt);
}

void HealthCollector::explain(const CallFailure& whole) {
    if (report_.health == store::Health::unhealthy && whole.fault != Fault::nobody)
        report_.message = whole.sentence.stored();
}

void HealthCollector::provider_is(store::Health health, const Sentence& message) {
    any_ = true;
    if (!reports_provider()) return;
    report_.health = health;
    report_.message = message.stored();
}

void HealthCollector::key_is(const TriedKey& key, store::Health health, const Sentence& message,
                             std::optional<std::chrono::seconds> cooldown) {
    report_.keys.push_back({key.account, key.digest, health, message.stored(), cooldown});
}

bool HealthCollector::reports_provider() const {
    const auto in_use = [this](const opener::CallKey& key) {
        return key.account == alone_ && key.is_enabled && provider_.round_robin_accounts;
    };
    return !alone_ || std::ranges::any_of(provider_.accounts, in_use);
}

bool HealthCollector::any_other_unhealthy() const {
    return alone_ && std::ranges::any_of(provider_.accounts, [this](const opener::CallKey& key) {
               return key.account != alone_ && key.is_enabled && !is_usable(key);
           });
}

bool HealthCollector::any_other_usable() const {
    return alone_ && std::ranges::any_of(provider_.accounts, [this](const opener::CallKey& key) {
               return key.account != alone_ && key.is_enabled && is_usable(key);
           });
}

store::CallUsage usage_of(const ProviderId& provider, const std::string& model, const Spent& spent,
                          const CallFailure* failure) {
    const auto& [input, output, reasoning] = spent.told;
    const bool is_told = input && output && !failure; // at the end of the answer
    const bool has_cost = !failure || spent.answer_bytes > 0 || failure->reason == "cancelled" ||
                          failure->reason == "too_large";
    store::CallUsage usage{.provider = provider,
                           .model = model,
                           .failed = failure != nullptr,
                           .estimated = has_cost && !is_told};
    if (!has_cost) return usage;
    usage.input_tokens = input.value_or(spent.request_tokens);
    usage.output_tokens =
        is_told ? *output
                : std::max<std::uint64_t>(output.value_or(0), spent.answer_bytes / bytes_of_token);
    return usage;
}

} // namespace usershell::execute
