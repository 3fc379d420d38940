#include "execute/call.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/rules.hpp"

#include <exception>

namespace usershell::execute {

namespace {

store::Call begun(app::RequestContext& context) {
    auto call = store::begin_call(context.lease, context.caller().calls_token_hash);
    if (call) return *std::move(call);
    throw Refusal{ErrorCode::rate_limited, "You have " + std::to_string(rules::max_calls) +
                                               " calls under way. Wait until one has ended."}
        .retry_after(std::chrono::seconds{1});
}

} // namespace

Call::Call(Services& services, app::RequestContext& context)
    : services_{services},
      request_id_{context.request.id},
      place_{services.calls},
      id_{begun(context)} {
    place_.begun(id_);
}

Call::Call(Services& services, store::Call begun)
    : services_{services},
      place_{services.calls},
      id_{std::move(begun)} {}

Call::~Call() { end(); }

void Call::record(const store::HealthUpdate& report) {
    try {
        store::Lease lease{services_.database};
        store::record_health(lease, id_, report);
    } catch (const std::exception& error) {
        const LogContext context{request_id_};
        log(Level::warning, "health not recorded", {{"error", loggable(error)}});
    }
}

void Call::end() {
    if (std::exchange(ended_, true)) return;
    try {
        store::Lease lease{services_.database};
        store::end_call(lease, id_);
    } catch (const std::exception& error) {
        const LogContext context{request_id_};
        log(Level::warning, "call left to expire", {{"error", loggable(error)}});
    }
}

Task<web::Response> CallAnswer::run(web::Stream& stream) {
    std::exception_ptr failure;
    web::Response response;
    try {
        response = co_await answer(stream);
    } catch (...) {
        failure = std::current_exception();
    }
    if (!call_->has_ended()) {
        co_await services_.threads.enter();
        call_->end();
    }
    if (failure) std::rethrow_exception(failure);
    co_return response;
}

} // namespace usershell::execute
