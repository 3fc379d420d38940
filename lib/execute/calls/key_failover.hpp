// Makes a call with the right key, for connectivity checks, batches, model lists and the
// playground. Has one key at a time in the order of the call and runs the job with it: the one that
// was opened when the call began, then those that the opener is asked for. When a key fails and no
// byte has been sent to the caller yet, the next key is tried. Then the health that the provider
// and its keys have shown is reported to the call.
//
// A KeyFailover serves one provider of one call. It moves between the loop, where it waits for the
// provider, the threads that ask the opener, and those where answers are read.
#pragma once

#include "adapters/calls.hpp"
#include "execute/calls/call.hpp"
#include "execute/calls/call_failure.hpp"
#include "execute/services.hpp"
#include "opener/wire/call_starts.hpp"
#include "store/calls.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace usershell::execute {

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

    // To be set before run().
    ClientSignals client{};
    /// False once something has been sent to the caller: no other key is tried then.
    std::function<bool()> may_try_again = [] { return true; };
    std::optional<AccountId> only{}; ///< this account's key alone (the account test)
    /// The job asks for it, for the sentence of a failure; empty: the host alone is named.
    std::string model{};
    bool is_aside = false; ///< the job is no chat: it reports no health
    /// A tool may ask for what its token allows and the key does not: a key that is not allowed a
    /// call stays as healthy as it was.
    bool is_for_tool = false;

    struct Outcome {
        /// Of the account whose key succeeded; empty: the provider's own.
        std::string key_name;
        std::unique_ptr<CallFailure> failure{}; ///< no key has succeeded
    };

    /// Runs `job` with one key after another until it succeeds. Takes the opened key and headers
    /// out of the provider. Throws Refusal conflict when the provider has no key or no supported
    /// type, or a header that may not be sent, not_found when `only` is no account of the provider,
    /// and other exceptions of the job. Begins on any thread, ends on the loop if it does not
    /// throw.
    Task<Outcome> run(opener::CallProvider& provider, const Job& job);

private:
    Task<std::unique_ptr<CallFailure>> find_key(opener::CallProvider& provider,
                                                opener::CallKey& key);
    Task<std::unique_ptr<CallFailure>> try_key(opener::CallProvider& provider, opener::CallKey& key,
                                               const Job& job);
    CallFailure failure_to(const adapters::UpstreamError& error,
                           const opener::CallProvider& provider) const;
    net::HttpLimits limits_left() const;

    Services& services_;
    Call& call_;
    net::HttpLimits limits_;
    CallBudget budget_;
    PoolLane readers_;
    std::string digest_; ///< of the key that is tried; empty: it was not found
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

} // namespace usershell::execute
