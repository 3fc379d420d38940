// A call under way: it counts against the limits of this process and of its user, and its id
// entitles it to write the health of that user's providers.
#pragma once

#include "base/ids.hpp"
#include "execute/calls/call_endings.hpp"
#include "execute/calls/call_failure.hpp"
#include "execute/calls/call_register.hpp"
#include "opener/wire/call_starts.hpp"
#include "opener/wire/client.hpp"
#include "runtime/call_memory.hpp"
#include "store/calls.hpp"
#include "store/users/sessions.hpp"
#include "web/message.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace usershell::execute {

/// A limited number that the calls of this process share, of which one user has at most a part: the
/// calls that wait. Their memory: runtime/call_memory.hpp. Any thread.
class UserShares {
public:
    UserShares(std::size_t all, std::size_t of_user) : all_{all}, of_user_{of_user} {}

    /// The amount that one call has taken, until it is gone.
    class Share {
    public:
        Share(UserShares& shares, UserId user) : shares_{shares}, user_{std::move(user)} {}
        ~Share() { give_back(); }
        Share(const Share&) = delete;
        Share& operator=(const Share&) = delete;

        /// Takes what is missing. False, and nothing is taken, when that is more than there is.
        bool grow_to(std::size_t amount);
        void give_back();

    private:
        UserShares& shares_;
        UserId user_;
        std::size_t amount_ = 0;
    };

private:
    const std::size_t all_;
    const std::size_t of_user_;
    std::mutex mutex_;
    std::size_t taken_ = 0;
    std::map<UserId, std::size_t> taken_by_; ///< no zeros
};

class Services;

/// The parts that the calls of this process share. None of it reaches a provider.
struct Calls {
    CallRegister under_way;
    CallMeter meter;
    UserShares waiting;  ///< calls of tools that wait for a slot
    MemoryShares memory; ///< of what strangers make calls keep
    CallEndings endings;
    Loop& loop;
    opener::Asker& opener;

    /// Renews the slots of the calls under way, ends those that have lost their right to run, and
    /// gives back the memory of a burst that is over; returns when to do it again.
    std::chrono::milliseconds upkeep(store::Database& database);

private:
    Task<> end(std::vector<store::CallId> lost);
};

class Call {
public:
    /// A call that begin() is to begin. Throws Refusal unavailable when this process has as many
    /// calls under way as it may.
    Call(Calls& calls, std::string request_id);
    /// A call that was begun by other means; for tests.
    Call(Calls& calls, store::CallId begun);
    /// Ends the call, if it has not been ended, in the calling thread.
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// Begins by a session, and loads the request's provider, or all active ones, in one statement
    /// of the opener's, in the calling thread. The second time it keeps its id and slot. Gives the
    /// caller; null: the session is not good.
    std::optional<store::Caller> begin(const std::string& token_hash, opener::CallRequest request);
    /// Begins by an access token, in the calling thread. Throws Refusal not_signed_in when the
    /// token is not good.
    opener::TokenCallStart begin(const opener::TokenRequest& request);

    /// The loaded provider; to be taken once. Throws not_found when the caller has no provider of
    /// that id.
    opener::CallProvider take_provider();
    std::vector<opener::CallProvider> take_providers() { return std::move(providers_); }
    /// Throws Refusal rate_limited when the caller had max_calls under way already. Call it after
    /// all other checks, so that their Refusals come first.
    void require_slot() const;

    const store::CallId& id() const { return id_.value(); }
    /// The stream of the response. A call that loses its right to run ends there. Null: none.
    void answers(web::Stream* stream) {
        stream_ = stream;
        slot_.answers(stream);
    }
    /// The bytes that strangers make it keep. Outlives the call where the stream has it.
    const std::shared_ptr<CallMemory>& memory() const { return memory_; }
    CallMemory::Part& body_part() { return body_part_; } ///< of the caller's body
    /// The stream's bytes count in it, too, and it ends the stream when it is lost. On the loop.
    void count_stream() const {
        if (stream_ != nullptr) stream_->counts_in(memory_);
    }

    /// Tells the operator that the provider was not called since its address is a forbidden one.
    void log_forbidden(const ProviderId& provider) const;

    /// Keeps a report until the call ends. On the loop.
    void report(store::HealthReport health) { health_.push_back(std::move(health)); }
    /// The same of what it has taken of a model.
    void count(store::CallUsage usage) { usage_.push_back(std::move(usage)); }
    /// Ends the call and writes its reports and usage, so that the user may make another. Begins on
    /// any thread, ends on the loop. Without effect the second time.
    Task<> end();

private:
    void begun(std::optional<store::CallId> call, const UserId& user);

    Calls& calls_;
    std::string request_id_; ///< of its log lines
    CallRegister::Slot slot_;
    std::optional<store::CallId> id_;    ///< null: no slot, or ended
    std::shared_ptr<CallMemory> memory_; ///< null: no user is known yet
    CallMemory::Part body_part_;
    web::Stream* stream_ = nullptr;
    std::vector<opener::CallProvider> providers_;
    std::vector<store::HealthReport> health_;
    std::vector<store::CallUsage> usage_;
};

/// The response of a handler that calls providers. Ends the call when the response is complete.
class CallResponse : public web::AsyncResponse {
public:
    Task<web::Response> run(web::Stream& stream) final;

protected:
    CallResponse(Services& services, std::shared_ptr<Call> call)
        : services_{services},
          call_{std::move(call)} {}

    /// Begins on a thread that may wait.
    virtual Task<web::Response> answer(web::Stream& stream) = 0;

    Services& services() { return services_; }
    Call& call() { return *call_; }

private:
    Services& services_;
    std::shared_ptr<Call> call_;
};

/// The response of a handler whose answer comes later.
template <class Answer, class... Given>
web::Response async_response(Given&&... given) {
    web::Response response;
    response.async = std::make_unique<Answer>(std::forward<Given>(given)...);
    return response;
}

} // namespace usershell::execute
