// What one call shows of a provider and its keys, gathered while keys are tried, in the form in
// which the store keeps it. Pure; used by one thread.
#pragma once

#include "execute/calls/call_failure.hpp"
#include "store/calls/execution.hpp"

namespace usershell::execute {

class HealthReport {
public:
    /// `alone`: an account's test. It judges that account, and the provider only when the account
    /// is in use there; beside others in use it can't show more than that not every key is usable,
    /// nor, while one of those was refused, that all are. `provider` outlives the report.
    HealthReport(const store::CallProvider& provider, std::optional<AccountId> alone);

    /// The call failed with this key. A failure is held against the key when it is the key's own,
    /// or when the key was tried alone. What is only the request's fault says nothing about
    /// anybody's health.
    void failed(const store::CallKey& key, const CallFailure& failure);
    /// `others_left_out`: rotation passed over keys that are cooling down.
    void succeeded(const store::CallKey& key, bool others_left_out);
    /// The call as a whole has failed: its sentence is the provider's, where the provider is judged
    /// to be unhealthy.
    void explain(const CallFailure& whole);

    /// Is there anything that the store should know?
    bool any() const { return any_; }
    const store::HealthUpdate& record() const { return record_; }

private:
    void provider_is(store::Health health, std::string message);
    void key_is(const store::CallKey& key, store::Health health, std::string message,
                std::optional<std::chrono::seconds> pause);
    /// Of the accounts in use beside the one tried alone: is any known not to work, does any work
    /// as far as is known?
    bool any_other_unhealthy() const;
    bool any_other_usable() const;
    bool judges_provider() const;

    const store::CallProvider& provider_;
    std::optional<AccountId> alone_;
    store::HealthUpdate record_;
    bool any_ = false;
};

} // namespace usershell::execute
