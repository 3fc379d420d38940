#include "execute/calls/call.hpp"

#include "base/error.hpp"
#include "base/logging/log.hpp"
#include "base/rules.hpp"

#include <exception>

namespace usershell::execute {

// The life of a call. One statement looks the session up, takes one of the user's slots and reads
// the provider with its sealed keys. A slot is a row with a date of expiry, so that a process that
// is killed blocks nobody for long; while the call runs, one statement for all calls of the process
// renews it (services.calls). A call that is not renewed has lost its right to run: its session or
// its provider has gone, or the store can't be asked. It is ended before its slot is free again,
// so that nobody has more calls under way than slots (Services::upkeep). The slot must be free
// again as soon as the call ends, on every way out: the constructor frees it when the request is
// refused after it was taken, end() when the answer is complete, the destructor when neither was
// reached. Failing to free it is no error to the user, whose answer is there already: it expires.
//
// end() is a task because calls that end at the same moment share a statement (services.endings).
// Only the rare ones that have something new to say about a key or provider have one of their own.

Call::Call(Services& services, app::RequestContext& context,
           const std::optional<ProviderId>& provider)
    : services_{services},
      request_id_{context.request.id},
      slot_{services.calls} {
    try {
        begin(context, provider);
    } catch (...) {
        if (id_) end_here(nullptr);
        throw;
    }
}

Call::Call(Services& services, store::CallId begun)
    : services_{services},
      slot_{services.calls},
      id_{std::move(begun)} {}

void Call::begin(app::RequestContext& context, const std::optional<ProviderId>& provider) {
    auto start = store::begin_call(context.lease, context.token_hash, provider);
    if (start) {
        id_ = std::move(start->call);
        providers_ = std::move(start->providers);
    }
    context.lease.release();
    context.admit(start ? std::optional{std::move(start->caller)} : std::nullopt);
    if (id_) slot_.begun(*id_);
}

store::CallProvider Call::take_provider() {
    if (providers_.empty()) throw not_found();
    return std::move(providers_.front());
}

void Call::require_slot() const {
    if (id_) return;
    throw Refusal{ErrorCode::rate_limited, "You have " + std::to_string(rules::max_calls) +
                                               " calls under way. Wait until one has ended."}
        .retry_after(std::chrono::seconds{1});
}

Call::~Call() {
    if (id_ && !ended_) end_here(nullptr);
}

void Call::record(const store::HealthUpdate& report) {
    try {
        store::Lease lease{services_.database};
        store::record_health(lease, id(), report);
    } catch (const std::exception& error) {
        const LogContext context{request_id_};
        log(Level::warning, "health not recorded", {{"error", loggable(error)}});
    }
}

void Call::log_forbidden(const ProviderId& provider) const {
    const LogContext context{request_id_};
    log(Level::notice, "address not allowed",
        {{"user", id().user.text()}, {"provider", provider.text()}});
}

Task<> Call::end(const store::HealthUpdate* report) {
    if (std::exchange(ended_, true) || !id_) co_return;
    if (auto plain = store::plain_end(*id_, report)) {
        const bool has_ended = co_await services_.endings.end(*std::move(plain));
        if (has_ended) co_return;
    }
    co_await services_.threads.enter();
    end_here(report);
}

void Call::end_here(const store::HealthUpdate* report) {
    try {
        store::Lease lease{services_.database};
        if (report)
            store::end_call(lease, *id_, *report);
        else
            store::end_call(lease, *id_);
    } catch (const std::exception& error) {
        const LogContext context{request_id_};
        log(Level::warning, "call left to expire", {{"error", loggable(error)}});
    }
}

ProviderId provider_or_nobodys(std::string_view text) {
    auto id = ProviderId::parse(text);
    return id ? *std::move(id) : *ProviderId::parse("00000000-0000-0000-0000-000000000000");
}

ProviderId named_provider(const app::RequestContext& context) {
    const auto found = context.parameters.find("providerId");
    return provider_or_nobodys(found == context.parameters.end() ? "" : found->second);
}

Task<web::Response> CallResponse::run(web::Stream& stream) {
    std::exception_ptr failure;
    web::Response response;
    call_->answers(&stream);
    try {
        response = co_await answer(stream);
    } catch (...) {
        failure = std::current_exception();
    }
    co_await call_->end();
    call_->answers(nullptr);
    if (failure) std::rethrow_exception(failure);
    co_return response;
}

} // namespace usershell::execute
