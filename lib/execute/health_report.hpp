// What one call shows of a provider and its keys, gathered while keys are tried, in the form in
// which the store keeps it. Pure; used by one thread.
#pragma once

#include "adapters/calls.hpp"
#include "crypto/unseal/unseal.hpp"
#include "store/calls/execution.hpp"

namespace usershell::execute {

class HealthReport {
public:
    explicit HealthReport(const store::CallProvider& provider);

    /// The call failed with this key. A failure is held against the key when it is the key's own,
    /// or when the key was tried `alone` (an account's test). What is only the request's fault says
    /// nothing about anybody's health.
    void failed(const store::CallKey& key, const adapters::UpstreamError& error, bool alone);
    /// This key could not even be opened.
    void failed(const store::CallKey& key, const crypto::UnsealError& error);
    /// `others_left_out`: rotation passed over keys that are cooling down.
    void succeeded(const store::CallKey& key, bool others_left_out);

    /// May another key do better than the last one did?
    bool may_try_another_key() const { return may_try_another_key_; }
    /// Is there anything that the store should know?
    bool any() const { return any_; }
    const store::HealthUpdate& record() const { return record_; }

private:
    void provider_is(store::Health health, std::string message);
    void key_failed(const store::CallKey& key, std::string message,
                    std::optional<std::chrono::seconds> pause);

    store::HealthUpdate record_;
    bool any_ = false;
    bool may_try_another_key_ = true;
};

} // namespace usershell::execute
