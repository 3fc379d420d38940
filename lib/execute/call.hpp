// A call under way: one of the places that a user has for calls, and the right to write what the
// call shows of their providers, held while an object of this lives.
#pragma once

#include "store/calls/execution.hpp"
#include "store/database/database.hpp"
#include "store/users/sessions.hpp"

#include <chrono>

namespace usershell::execute {

class Call {
public:
    /// Throws Refusal rate_limited when the caller has max_calls under way, not_signed_in when
    /// their session has ended meanwhile.
    Call(store::Lease& lease, const store::Caller& caller);
    /// Gives the place back; a store that can't be reached lets it expire instead.
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    const store::Call& id() const { return id_; }

    /// To be called at least every 15 seconds while the call runs; renews it no more often than
    /// that. Gives the connection back afterwards.
    void renew();

private:
    store::Lease& lease_;
    store::Call id_;
    std::chrono::steady_clock::time_point renewed_ = std::chrono::steady_clock::now();
};

} // namespace usershell::execute
