#include "execute/calls/call.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "opener/wire/call_starts.hpp"
#include "runtime/task.hpp"

#include <utility>

namespace usershell::execute {

// The life of a call. One statement of the opener's finds the session, takes one of the user's
// slots and reads the provider with its keys. A slot is a row that expires, so that a killed
// process blocks it for a minute at most. While the call runs, one statement for all calls of the
// process renews it (Calls::upkeep). A call that is not renewed has lost its right to run: its
// session or its provider is gone, or the store can't be reached. It is ended before its slot is
// free again, so that no user has more calls under way than slots.
//
// The slot must be free again when the call ends, on every way out: end() frees it when the
// response is complete, the destructor when the request was refused before. A failure to free it is
// no error to the user, whose response is complete: the slot expires.

namespace {

constexpr std::chrono::seconds renew_interval{15}; ///< a slot lasts a minute
constexpr std::chrono::seconds max_unrenewed{45};  ///< so that a call ends before its slot

} // namespace

std::chrono::milliseconds Calls::upkeep(store::Database& database) {
    under_way.give_back_memory();
    start(end(under_way.due(max_unrenewed))); // before the store is asked, which may fail
    const auto due = under_way.due(renew_interval);
    if (!due.empty()) {
        const auto asked_at = std::chrono::steady_clock::now();
        store::Lease lease{database};
        start(end(under_way.renewed(due, store::renew_calls(lease, due), asked_at)));
    }
    return renew_interval / 3;
}

Task<> Calls::end(std::vector<store::CallId> lost) {
    if (lost.empty()) co_return;
    co_await loop.enter();
    under_way.end(lost);
}

Call::Call(Calls& calls, std::string request_id)
    : calls_{calls},
      request_id_{std::move(request_id)},
      slot_{calls.under_way} {}

std::optional<store::Caller> Call::begin(const std::string& token_hash,
                                         opener::CallRequest request) {
    request.calls_token_hash = token_hash;
    if (id_) request.id = id_->id;
    auto start = opener::begin_call(calls_.opener, request);
    if (!start) return std::nullopt;
    begun(std::move(start->call), start->caller.user);
    providers_ = std::move(start->providers);
    return std::move(start->caller);
}

opener::TokenCallStart Call::begin(const opener::TokenRequest& request) {
    auto start = opener::begin_token_call(calls_.opener, request);
    if (!start)
        throw Refusal{ErrorCode::not_signed_in,
                      "This access token is not valid. It may have expired or been revoked."_en};
    begun(start->call, start->user);
    return *std::move(start);
}

/// Throws Refusal unavailable for a second time without a slot: the first one's is locked just now.
void Call::begun(std::optional<store::CallId> call, const UserId& user) {
    if (id_ && !call) throw service_is_busy();
    id_ = std::move(call);
    if (id_) slot_.begun(*id_);
    if (memory_) return;
    memory_ = std::make_shared<CallMemory>(calls_.memory, user);
    body_part_ = CallMemory::Part{memory_.get()};
}

Call::Call(Calls& calls, store::CallId begun)
    : calls_{calls},
      slot_{calls.under_way},
      id_{std::move(begun)},
      memory_{std::make_shared<CallMemory>(calls.memory, id_->user)} {}

Call::~Call() {
    if (id_) calls_.endings.end_here({{*std::move(id_), std::move(health_), std::move(usage_)}});
}

opener::CallProvider Call::take_provider() {
    if (providers_.empty()) throw not_found();
    return std::move(providers_.front());
}

void Call::require_slot() const {
    if (id_) return;
    throw Refusal{ErrorCode::rate_limited,
                  {"You have {count} calls under way. Wait until one has ended."_en,
                   {{"count", std::to_string(rules::max_calls)}}}}
        .retry_after(std::chrono::seconds{1});
}

void Call::log_forbidden(const ProviderId& provider) const {
    const LogContext context{request_id_};
    log(Level::notice, "address not allowed",
        {{"user", id().user.text()}, {"provider", provider.text()}});
}

Task<> Call::end() {
    co_await calls_.loop.enter();
    if (!id_) co_return;
    store::CallEnd end{*std::exchange(id_, std::nullopt), std::move(health_), std::move(usage_)};
    co_await calls_.endings.end(std::move(end));
}

Task<web::Response> CallResponse::run(web::Stream& stream) {
    call_->answers(&stream);
    auto end = co_await settle(answer(stream));
    co_await call_->end();
    call_->answers(nullptr);
    co_return end.get();
}

bool UserShares::Share::grow_to(std::size_t amount) {
    if (amount <= amount_) return true;
    const std::size_t more = amount - amount_;
    const std::scoped_lock lock{shares_.mutex_};
    const auto found = shares_.taken_by_.find(user_);
    const std::size_t has = found == shares_.taken_by_.end() ? 0 : found->second;
    if (shares_.taken_ + more > shares_.all_ || has + more > shares_.of_user_) return false;
    shares_.taken_ += more;
    shares_.taken_by_[user_] += more;
    amount_ = amount;
    return true;
}

void UserShares::Share::give_back() {
    if (amount_ == 0) return;
    const std::scoped_lock lock{shares_.mutex_};
    shares_.taken_ -= amount_;
    const auto found = shares_.taken_by_.find(user_);
    found->second -= amount_;
    if (found->second == 0) shares_.taken_by_.erase(found);
    amount_ = 0;
}

} // namespace usershell::execute
