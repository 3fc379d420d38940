// Makes a call with the right key, for connectivity checks, batches, model lists and the playground
// alike. Takes the provider's keys in order, opens one at a time and runs the job with it; when a
// key fails and nothing has been sent to the caller yet, the next one is tried. Then it records
// what the call has shown of the provider and its keys.
//
// An KeyFailover serves one provider of one call. It moves between the loop, where it waits for the
// provider, the threads where keys are opened and the store is asked, and those where answers are
// read.
#pragma once

#include "adapters/calls.hpp"
#include "execute/calls/call.hpp"
#include "execute/calls/call_failure.hpp"
#include "execute/services.hpp"
#include "store/calls/execution.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>

namespace usershell::execute {

class HealthReport;

/// The client that waits for the call's answer.
struct ClientSignals {
    CancellationToken* cancellation = nullptr;
    AsyncEvent* writable = nullptr;
    /// Called about every five seconds, and before each key, on the loop.
    std::function<void()> on_tick{};
};

class KeyFailover {
public:
    /// The work to be done with a key: a chat, a list, a search. Called at most once for each key,
    /// on the loop.
    using Job = std::function<Task<>(const adapters::CallTarget&, const adapters::CallControl&)>;

    /// `call` outlives it.
    KeyFailover(Services& services, Call& call, const CallLimits& limits);

    void watch(ClientSignals client) { client_ = std::move(client); }

    /// False once something has been sent to the caller: no other key is tried then.
    std::function<bool()> may_try_again = [] { return true; };

    /// Use this account's key alone (the account test).
    void only(const AccountId& account) { only_ = account; }

    /// The model that the job asks for, for the sentence of a failure; else the host alone is
    /// named.
    void asks_for(const std::string& model) { model_ = model; }

    /// For a job that is no chat: it does not advance the rotation and records no health.
    void aside() { aside_ = true; }

    /// run() does not end the call: other failovers of the same batch still use it.
    void leave_open() { ends_call_ = false; }

    /// Runs `job` with one key after another until it succeeds, and returns the name of that key.
    /// Throws CallFailed when no key helped, Refusal conflict when the provider has no key, and
    /// what the job throws besides. Ends on the loop or a thread, with the call recorded and ended.
    Task<std::string> run(const store::CallProvider& provider, const Job& job);

private:
    std::vector<const store::CallKey*> keys_in_order(const store::CallProvider& provider);
    Task<std::optional<CallFailure>> try_key(const store::CallProvider& provider,
                                             const store::CallKey& key, const Job& job);
    Task<> record(const HealthReport& report);
    net::HttpLimits limits_left() const;

    Services& services_;
    Call& call_;
    net::HttpLimits limits_;
    CallBudget budget_;
    ClientSignals client_;
    std::optional<AccountId> only_;
    std::string model_;
    bool aside_ = false;
    bool ends_call_ = true;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// The keys of `provider` in the order in which a call at this rotation position tries them: with
/// rotation the enabled accounts, starting at `position`, else (or when none is enabled) the
/// provider's own; keys that are is_in_cooldown down come last. Pure.
std::vector<const store::CallKey*> order_keys(const store::CallProvider& provider,
                                              std::uint64_t position);

} // namespace usershell::execute
