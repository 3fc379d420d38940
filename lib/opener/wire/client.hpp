// How usershell-execute asks usershell-opener to begin calls and open their keys. A request takes
// one of a bounded number of connections, which stay open for the next. Each function waits for the
// answer, so it is for threads that may wait. Where a connection was lost before an answer came,
// the request is made once more on a new one. Thread-safe.
//
// Each throws Refusal unavailable (503, Retry-After: 1) when the opener or its store does not
// answer in time, and Error for a fault that the opener's log has.
#pragma once

#include "base/wiping.hpp"
#include "opener/wire/protocol.hpp"
#include "runtime/descriptor.hpp"
#include "store/call_facts.hpp"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace usershell::opener {

class Client {
public:
    /// Connects when it is first asked. `limit`: of a whole request; `connections`: at most.
    Client(std::string socket, std::size_t connections, std::chrono::milliseconds limit);

    /// Null: the session or the access token is not good.
    std::optional<CallStart> begin_call(const BeginCall& request);
    std::optional<TokenCallStart> begin_token_call(const BeginTokenCall& request);
    /// Null: the token does not allow that model of that provider, or has ended.
    std::optional<LoadedProvider> load_provider(const LoadProvider& request);
    /// Null: the call has lost its right to run.
    std::optional<FoundKey> next_key(const NextKey& request);

private:
    using Clock = std::chrono::steady_clock;
    /// A connection that is lent. It is given back for another request once it `may_stay`.
    class Loan;

    template <class Kind>
    std::optional<Kind> ask(const Request& request);
    std::optional<WipedString> answer_to(std::string_view request);

    const std::string socket_;
    const std::size_t most_;
    const std::chrono::milliseconds limit_;

    std::mutex mutex_;
    std::condition_variable freed_;
    std::vector<Descriptor> idle_; ///< the last used at the end
    std::size_t lent_ = 0;
};

} // namespace usershell::opener
