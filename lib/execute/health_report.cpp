#include "execute/health_report.hpp"

#include "base/rules.hpp"

#include <algorithm>

namespace usershell::execute {
namespace {

using std::chrono::seconds;
using Kind = adapters::UpstreamError::Kind;

constexpr const char* not_every_key = "It answers, but not every key of this provider is usable.";

/// How long a key is passed over after that failure.
std::optional<seconds> pause_after(const adapters::UpstreamError& error) {
    switch (error.kind()) {
    case Kind::key_refused:
        return rules::refused_key_pause;
    case Kind::rate_limited:
    case Kind::no_credit:
        return std::min(error.retry_after().value_or(rules::limited_key_pause),
                        rules::max_key_pause);
    default:
        return std::nullopt;
    }
}

/// The key's own failures, not the provider's or the request's.
bool is_keys_fault(Kind kind) {
    return kind == Kind::key_refused || kind == Kind::no_credit || kind == Kind::rate_limited;
}

/// The provider answered, and would have answered another request.
bool is_requests_fault(Kind kind) {
    return kind == Kind::context_too_long || kind == Kind::refused_by_policy;
}

} // namespace

HealthReport::HealthReport(const store::CallProvider& provider)
    : record_{.provider = provider.id, .base_url = provider.base_url} {}

void HealthReport::failed(const store::CallKey& key, const adapters::UpstreamError& error,
                          bool alone) {
    worth_another_key_ = error.worth_another_key();
    if (error.kind() == Kind::cancelled) return;
    if (is_requests_fault(error.kind())) {
        if (any_) provider_is(store::Health::degraded, not_every_key);
        return;
    }
    provider_is(store::Health::unhealthy, error.sentence());
    if (alone || is_keys_fault(error.kind())) key_failed(key, error.sentence(), pause_after(error));
}

void HealthReport::failed(const store::CallKey& key, const crypto::UnsealError& error) {
    worth_another_key_ = true;
    provider_is(store::Health::unhealthy, error.what());
    key_failed(key, error.what(), std::nullopt);
}

void HealthReport::succeeded(const store::CallKey& key, bool others_left_out) {
    const bool smooth = !any_ && !others_left_out;
    provider_is(smooth ? store::Health::healthy : store::Health::degraded,
                smooth ? "" : not_every_key);
    record_.keys.push_back(
        {key.account, key.sealed.bytes(), store::Health::healthy, "", std::nullopt});
}

void HealthReport::provider_is(store::Health health, std::string message) {
    any_ = true;
    record_.health = health;
    record_.message = std::move(message);
}

void HealthReport::key_failed(const store::CallKey& key, std::string message,
                              std::optional<seconds> pause) {
    record_.keys.push_back(
        {key.account, key.sealed.bytes(), store::Health::unhealthy, std::move(message), pause});
}

} // namespace usershell::execute
