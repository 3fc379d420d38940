// A request's way through the application, in the order of docs/contract.md, section 1: route,
// method, session, size and media type, anti-forgery, body, then the handler; and the one catch
// that turns what went wrong into an answer. One Dispatch serves all threads of a worker.
#pragma once

#include "pipeline/answer.hpp"
#include "pipeline/guard.hpp"
#include "pipeline/request_meter.hpp"
#include "pipeline/route.hpp"
#include "store/database/database.hpp"
#include "web/pages.hpp"

#include <exception>
#include <optional>
#include <string_view>

namespace usershell::pipeline {

struct ReadBody;

class Dispatch {
public:
    /// `pages`: for error pages; nullptr in a program that has JSON routes only. All references
    /// outlive it.
    Dispatch(store::Database& database, Guard guard, Routes routes, const web::Pages* pages,
             RequestMeter& meter);

    /// Counts the request and writes its log line: method, route pattern, status, ms, user id,
    /// request id. A later response is counted and logged when it has come; it does not throw.
    web::Response serve(const web::Request& request) const noexcept;
    /// Is the body of a request with that path and query read by the stream of its response?
    bool reads_late(std::string_view uri, std::size_t announced) const;
    /// The response to a request that can't be served.
    web::Response refuse(const Refusal& refusal, const web::Request& request) const noexcept;

private:
    struct Trace;
    class LoggedResponse;
    class LateCall;
    web::Response run(const web::Request& request, Trace& trace) const;
    web::Response failed(const std::exception_ptr& failure, const web::Request& request,
                         Trace& trace) const noexcept;
    /// Sets the headers of every response, and writes the log line.
    void conclude(web::Response& response, const Trace& trace) const;
    /// The caller whose navigation an error page shows, if the refusal came before the session was
    /// looked up. Null if the response is no page.
    std::optional<store::Caller> reader_of(const Refusal& refusal, const web::Request& request,
                                           ErrorForm form) const;
    /// The route that a path below /v1 means which is none; null: no such path, or no tool's route.
    std::optional<std::string> slip(std::string_view path) const;
    web::Response run_session(RequestContext& context, const SessionRoute& route,
                              Trace& trace) const;
    /// Once its body is there. An awaited one is read first, by the response.
    web::Response run_call(RequestContext& context, const CallRoute& route, PageCall call,
                           Trace& trace) const;
    /// Throws 401 when there is none.
    static void require(const std::optional<store::Caller>& caller);
    /// Looks up the session, and with it what the route's row asks for.
    void identify(RequestContext& context, WithSession with) const;
    /// The anti-forgery token by one of these keys, then what is wrong with the body.
    void check_change(const RequestContext& context, const std::vector<std::string>& keys,
                      const ReadBody& body) const;
    /// The keys by which a token of that route's forms may be made.
    std::vector<std::string> form_keys(const RequestContext& context,
                                       const SessionRoute& route) const;

    store::Database& database_;
    Guard guard_;
    Routes routes_;
    const web::Pages* pages_;
    RequestMeter& meter_;
};

} // namespace usershell::pipeline
