#include "execute/call.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/rules.hpp"

namespace usershell::execute {

namespace {

constexpr std::chrono::seconds interval{15};

store::Call begun(store::Lease& lease, const store::Caller& caller) {
    auto call = store::begin_call(lease, caller.calls_token_hash);
    if (call) return *std::move(call);
    throw Refusal{ErrorCode::rate_limited, "You have " + std::to_string(rules::max_calls) +
                                               " calls under way. Wait until one has ended."}
        .retry_after(std::chrono::seconds{1});
}

} // namespace

Call::Call(store::Lease& lease, const store::Caller& caller)
    : lease_{lease},
      id_{begun(lease, caller)} {}

Call::~Call() {
    try {
        store::end_call(lease_, id_);
    } catch (const std::exception& error) {
        log(Level::warning, "call left to expire", {{"error", loggable(error)}});
    }
}

void Call::renew() {
    const auto now = std::chrono::steady_clock::now();
    if (now - renewed_ < interval) return;
    renewed_ = now;
    try {
        store::renew_call(lease_, id_);
    } catch (const std::exception& error) {
        log(Level::warning, "call not renewed", {{"error", loggable(error)}});
    }
    lease_.release();
}

} // namespace usershell::execute
