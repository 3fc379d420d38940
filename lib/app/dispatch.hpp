// A request's way through the application, in the order of docs/contract.md, section 1: route,
// method, session, size and media type, anti-forgery, body, then the handler; and the one catch
// that turns what went wrong into an answer. One Dispatch serves all threads of a worker.
#pragma once

#include "app/guard.hpp"
#include "app/route.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

namespace usershell::app {

class Dispatch {
public:
    /// `pages`: for error pages; nullptr in a program that has JSON routes only. All references
    /// outlive it.
    Dispatch(store::Database& database, Guard guard, Routes routes, const web::Pages* pages);

    /// Never throws. Writes the request's log line: method, route pattern, status, ms, user id,
    /// request id.
    web::Response serve(const web::Request& request, web::Stream& stream) const;

private:
    struct Trace;
    web::Response run(const web::Request& request, web::Stream& stream, Trace& trace) const;
    /// Size, media type, anti-forgery and body of a request that is no GET.
    void accept_change(RequestContext& context, const Route& route) const;

    store::Database& database_;
    Guard guard_;
    Routes routes_;
    const web::Pages* pages_;
};

} // namespace usershell::app
