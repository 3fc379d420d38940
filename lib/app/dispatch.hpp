// A request's way through the application, in the contract's order: route, method, session, size
// and media type, anti-forgery, body, then the handler; and the one catch that turns what went
// wrong into an answer. One Dispatch serves all threads of a worker.
#pragma once

#include "app/guard.hpp"
#include "app/route.hpp"
#include "store/database.hpp"
#include "web/pages.hpp"

namespace usershell {

class Dispatch {
public:
    /// `pages`: for error pages; nullptr in a wing that has JSON routes only. All references
    /// outlive it.
    Dispatch(Database& database, Guard guard, Routes routes, const Pages* pages);

    /// Never throws. Writes the request's log line: method, route pattern, status, ms, user id,
    /// request id.
    Response serve(const Request& request, Stream& stream) const;

private:
    struct Trace;
    Response run(const Request& request, Stream& stream, Trace& trace) const;
    Response refuse(const Refusal& refusal, const Request& request, const Trace& trace) const;

    Database& database_;
    Guard guard_;
    Routes routes_;
    const Pages* pages_;
};

} // namespace usershell
