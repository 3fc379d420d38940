// A call under way: its place among those of this process and of its user, and the right to write
// what it shows of their providers. Its functions ask the store: on a thread that may wait.
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
    /// Signs the caller in, takes the places and loads that provider, or all active ones, in one
    /// statement. Throws Refusal unavailable when this process has as many calls under way as it
    /// may, else as context.admit() does.
    Call(Services& services, app::RequestContext& context,
         const std::optional<ProviderId>& provider);
    /// One that has been begun by other means; for tests.
    Call(Services& services, store::Call begun);
    /// Ends it, if nobody has.
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    /// What was loaded; once. Throws not_found when the provider that was named is not theirs.
    store::CallProvider take_provider();
    std::vector<store::CallProvider> take_providers() { return std::move(providers_); }
    /// Throws Refusal rate_limited when the caller had max_calls under way already: after all that
    /// may be wrong with the call itself.
    void require_place() const;

    const store::Call& id() const { return id_.value(); }
    bool has_ended() const { return ended_; }

    /// What has been found so far. The call goes on whether or not the store can take it, and so
    /// does what follows.
    void record(const store::HealthUpdate& report);
    /// Gives the user's place back, and records that before; a store that can't be reached lets it
    /// expire instead.
    void end(const store::HealthUpdate* report = nullptr);

private:
    void begin(app::RequestContext& context, const std::optional<ProviderId>& provider);

    Services& services_;
    std::string request_id_; ///< of its log lines
    CallRegister::Place place_;
    std::optional<store::Call> id_; ///< nothing: no place
    std::vector<store::CallProvider> providers_;
    bool ended_ = false;
};

/// The id in that text, or one that nobody has.
ProviderId provider_or_nobodys(std::string_view text);

/// The answer of a handler that calls providers: ends the call when it has come.
class CallAnswer : public web::Later {
public:
    Task<web::Response> run(web::Stream& stream) final;

protected:
    CallAnswer(Services& services, std::unique_ptr<Call> call)
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

/// The provider of the route's path; one that nobody has when it names none.
ProviderId named_provider(const app::RequestContext& context);

/// The response of a handler whose answer comes later.
template <class Answer, class... Given>
web::Response later(Given&&... given) {
    web::Response response;
    response.later = std::make_unique<Answer>(std::forward<Given>(given)...);
    return response;
}

} // namespace usershell::execute
