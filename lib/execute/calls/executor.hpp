// Which key a call uses, and what happens when it fails: the one path of tests, batches, model
// lists and the playground. Chooses the keys in order, opens one at a time, hands it to the job,
// passes over a key that fails while nothing has been sent to the caller, and records what the call
// has shown.
//
// An Executor serves one provider of one call. It moves between the loop, where it waits for the
// provider, and threads that may wait, where it opens keys and asks the store.
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

/// Whoever asked, while a call runs.
struct Presence {
    Departure* departure = nullptr;
    Gate* gate = nullptr;
    /// Called about every five seconds, and before each key, on the loop.
    std::function<void()> on_tick{};
};

class Executor {
public:
    /// What is to be done with a key: a chat, a list, a search. Called once a key, at most, on the
    /// loop.
    using Job = std::function<Task<>(const adapters::CallTarget&, const adapters::CallControl&)>;

    /// `call` outlives it.
    Executor(Services& services, Call& call, net::HttpLimits limits);

    void watch(Presence presence) { presence_ = std::move(presence); }

    /// False once something has been sent to the caller: no other key is tried then.
    std::function<bool()> may_try_again = [] { return true; };

    /// Use this account's key alone (the account test).
    void only(const AccountId& account) { only_ = account; }

    /// The job is no chat: it takes no turn of the rotation and changes nobody's health.
    void aside() { aside_ = true; }

    /// The call goes on after this: others of a batch are part of it.
    void leave_open() { ends_call_ = false; }

    /// Runs `job` until it succeeds with a key: its name. Throws CallFailed when no key helped,
    /// Refusal conflict when the provider has no key, and what the job throws besides. Ends on a
    /// thread that may wait, with the call recorded and ended.
    Task<std::string> run(const store::CallProvider& provider, const Job& job);

private:
    std::vector<const store::CallKey*> keys_in_order(const store::CallProvider& provider);
    Task<std::optional<CallFailure>> try_key(const store::CallProvider& provider,
                                             const store::CallKey& key, const Job& job);
    void record(const HealthReport& report);
    net::HttpLimits limits_left() const;

    Services& services_;
    Call& call_;
    net::HttpLimits limits_;
    Presence presence_;
    std::optional<AccountId> only_;
    bool aside_ = false;
    bool ends_call_ = true;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// The keys of `provider` in the order in which a call at this rotation position tries them: with
/// rotation the enabled accounts, starting at `position`, else (or when none is enabled) the
/// provider's own; keys that are cooling down come last. Pure.
std::vector<const store::CallKey*> order_keys(const store::CallProvider& provider,
                                              std::uint64_t position);

} // namespace usershell::execute
