// Which key a call uses, and what happens when it fails: the one path of tests, batches, model
// lists and the playground. Chooses the keys in order, opens one at a time, hands it to the job,
// passes over a key that fails while nothing has been sent to the caller, and records what the call
// has shown.
//
// An Executor serves one call and lives as long as it, in one thread.
#pragma once

#include "adapters/calls.hpp"
#include "execute/call_failure.hpp"
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
    int gone_fd = -1; ///< Stream::gone_fd()
    /// Called about every five seconds, and before each key, in the calling thread.
    std::function<void()> on_tick{};
};

class Executor {
public:
    /// What is to be done with a key: a chat, a list, a search. Called once a key, at most.
    using Job = std::function<void(const adapters::CallTarget&, const adapters::CallControl&)>;

    /// The lease is given back before every upstream call.
    /// `call` outlives it.
    Executor(Services& services, store::Lease& lease, const store::Call& call,
             net::HttpLimits limits);

    void watch(Presence presence) { presence_ = std::move(presence); }

    /// False once something has been sent to the caller: no other key is tried then.
    std::function<bool()> may_try_again = [] { return true; };

    /// Use this account's key alone (the account test).
    void only(const AccountId& account) { only_ = account; }

    /// The job is no chat: it takes no turn of the rotation and changes nobody's health.
    void aside() { aside_ = true; }

    /// Runs `job` until it succeeds with a key, which it gives. Throws CallFailure when no key
    /// helped, Refusal conflict when the provider has no key, and what the job throws besides.
    const store::CallKey& run(const store::CallProvider& provider, const Job& job);

private:
    std::vector<const store::CallKey*> keys_in_order(const store::CallProvider& provider);
    std::optional<CallFailure> try_key(const store::CallProvider& provider,
                                       const store::CallKey& key, const Job& job);
    /// The answer stands, whether or not the store can take what was found.
    void record(const HealthReport& report);
    net::HttpLimits limits_left() const;

    Services& services_;
    store::Lease& lease_;
    const store::Call& call_;
    net::HttpLimits limits_;
    Presence presence_;
    std::optional<AccountId> only_;
    bool aside_ = false;
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

/// The keys of `provider` in the order in which a call at this rotation position tries them: with
/// rotation the enabled accounts, starting at `position`, else (or when none is enabled) the
/// provider's own; keys that are cooling down come last. Pure.
std::vector<const store::CallKey*> order_keys(const store::CallProvider& provider,
                                              std::uint64_t position);

} // namespace usershell::execute
