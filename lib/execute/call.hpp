// A call under way: its place among those of this process and of its user, and the right to write
// what it shows of their providers. Its functions ask the store: on a thread that may wait.
#pragma once

#include "app/request_context.hpp"
#include "execute/call_register.hpp"
#include "execute/services.hpp"
#include "store/calls/execution.hpp"
#include "web/message.hpp"

#include <memory>

namespace usershell::execute {

class Call {
public:
    /// Takes the places. Throws Refusal unavailable when this process has as many calls under way
    /// as it may, rate_limited when the caller has max_calls, not_signed_in when their session has
    /// ended meanwhile.
    Call(Services& services, app::RequestContext& context);
    /// One that has been begun by other means; for tests.
    Call(Services& services, store::Call begun);
    /// Ends it, if nobody has.
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const store::Call& id() const { return id_; }
    bool has_ended() const { return ended_; }

    /// What has been found so far. The call goes on whether or not the store can take it, and so
    /// does what follows.
    void record(const store::HealthUpdate& report);
    /// Gives the user's place back; a store that can't be reached lets it expire instead.
    void end();

private:
    Services& services_;
    std::string request_id_; ///< of its log lines
    CallRegister::Place place_;
    store::Call id_;
    bool ended_ = false;
};

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

/// The response of a handler whose answer comes later.
template <class Answer, class... Given>
web::Response later(Given&&... given) {
    web::Response response;
    response.later = std::make_unique<Answer>(std::forward<Given>(given)...);
    return response;
}

} // namespace usershell::execute
