#include "execute/call_slot.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/rules.hpp"
#include "store/calls/execution.hpp"

namespace usershell::execute {

CallSlot::CallSlot(store::Lease& lease, UserId user) : lease_{lease}, user_{std::move(user)} {
    auto slot = store::take_call_slot(lease_, user_);
    if (!slot) {
        throw Refusal{ErrorCode::rate_limited, "You have " + std::to_string(rules::max_calls) +
                                                   " calls under way. Wait until one has ended."}
            .retry_after(std::chrono::seconds{1});
    }
    slot_ = *std::move(slot);
}

CallSlot::~CallSlot() {
    try {
        store::release_call_slot(lease_, user_, slot_);
    } catch (const std::exception& error) {
        log(Level::warning, "call slot left to expire", {{"error", loggable(error)}});
    }
}

void CallSlot::renew() {
    try {
        store::renew_call_slot(lease_, user_, slot_);
    } catch (const std::exception& error) {
        log(Level::warning, "call slot not renewed", {{"error", loggable(error)}});
    }
    lease_.release();
}

} // namespace usershell::execute
