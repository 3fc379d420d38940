#include "execute/health_report.hpp"

namespace usershell::execute {
namespace {

constexpr const char* not_every_key = "It answers, but not every key of this provider is usable.";

} // namespace

HealthReport::HealthReport(const store::CallProvider& provider)
    : record_{.provider = provider.id, .base_url = provider.base_url} {}

void HealthReport::failed(const store::CallKey& key, const adapters::UpstreamError& error,
                          bool alone) {
    using adapters::Fault;
    may_try_another_key_ = error.may_try_another_key();
    switch (error.fault()) {
    case Fault::nobody:
        return;
    case Fault::request:
        if (any_) provider_is(store::Health::degraded, not_every_key);
        return;
    case Fault::key:
    case Fault::provider:
        provider_is(store::Health::unhealthy, error.sentence());
        if (alone || error.fault() == Fault::key)
            key_failed(key, error.sentence(), error.key_rest());
    }
}

void HealthReport::failed(const store::CallKey& key, const crypto::UnsealError& error) {
    may_try_another_key_ = true;
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
                              std::optional<std::chrono::seconds> pause) {
    record_.keys.push_back(
        {key.account, key.sealed.bytes(), store::Health::unhealthy, std::move(message), pause});
}

} // namespace usershell::execute
