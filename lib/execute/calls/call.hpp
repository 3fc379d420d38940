// A call under way: it counts against the limits of this process and of its user, and its id
// entitles it to record the health of that user's providers. All but end() ask the store where they
// are called, so call them on a thread that may wait.
#pragma once

#include "app/request_context.hpp"
#include "execute/calls/call_register.hpp"
#include "execute/services.hpp"
#include "store/calls/execution.hpp"
#include "web/message.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace usershell::execute {

class Call {
public:
    /// Signs the caller in, takes the slots and loads that provider, or all active ones, in one
    /// statement. Throws Refusal unavailable when this process has as many calls under way as it
    /// may, else as context.admit() does.
    Call(Services& services, app::RequestContext& context,
         const std::optional<ProviderId>& provider);
    /// A call that was begun by other means; for tests.
    Call(Services& services, store::CallId begun);
    /// Ends the call, if it has not been ended: by itself, in the calling thread.
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// The loaded provider; to be taken once. Throws not_found when the caller has no provider of
    /// that id.
    store::CallProvider take_provider();
    std::vector<store::CallProvider> take_providers() { return std::move(providers_); }
    /// Throws Refusal rate_limited when the caller had max_calls under way already. Call it after
    /// all other checks, so that their Refusals come first.
    void require_slot() const;

    const store::CallId& id() const { return id_.value(); }
    /// Whose answer it is, while it has one: a call that loses its right to run ends there.
    void answers(web::Stream* stream) { slot_.answers(stream); }

    /// Tells the operator that the provider was not called since its address is a forbidden one.
    void log_forbidden(const ProviderId& provider) const;

    /// Records what was found so far. When the store can't be reached, that is logged and the call
    /// goes on.
    void record(const store::HealthUpdate& report);
    /// Records `report`, if given, and ends the call, so that the user may make another. When the
    /// store can't be reached, the call expires there by itself. Begins on the loop or a thread,
    /// and ends on either.
    Task<> end(const store::HealthUpdate* report = nullptr);

private:
    void begin(app::RequestContext& context, const std::optional<ProviderId>& provider);
    void end_here(const store::HealthUpdate* report);

    Services& services_;
    std::string request_id_; ///< of its log lines
    CallRegister::Slot slot_;
    std::optional<store::CallId> id_; ///< nothing: no slot
    std::vector<store::CallProvider> providers_;
    bool ended_ = false;
};

/// The id in that text; when it is none, an id that no provider has, so that it is answered as not
/// found.
ProviderId provider_or_nobodys(std::string_view text);

/// The answer of a handler that calls providers. Ends the call when the answer is complete.
class CallResponse : public web::AsyncResponse {
public:
    Task<web::Response> run(web::Stream& stream) final;

protected:
    CallResponse(Services& services, std::unique_ptr<Call> call)
        : services_{services},
          call_{std::move(call)} {}

    /// Begins on a thread that may wait.
    virtual Task<web::Response> answer(web::Stream& stream) = 0;

    Services& services() { return services_; }
    Call& call() { return *call_; }

private:
    Services& services_;
    std::unique_ptr<Call> call_;
};

/// The provider id in the route's path, as provider_or_nobodys() reads it.
ProviderId named_provider(const app::RequestContext& context);

/// The response of a handler whose answer comes later.
template <class Answer, class... Given>
web::Response later(Given&&... given) {
    web::Response response;
    response.async = std::make_unique<Answer>(std::forward<Given>(given)...);
    return response;
}

} // namespace usershell::execute
