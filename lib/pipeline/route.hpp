// A row of a program's route table.
#pragma once

#include "pipeline/request_context.hpp"
#include "web/message.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace usershell::pipeline {

/// The callers of a route, and the response to others.
enum class Access {
    open, ///< no session needed; errors are pages
    page, ///< a session, else 302 to the sign-in page; errors are pages
    json, ///< a session, else 401; errors are JSON
};

/// The kind of body a route takes, and with it how large it may be (rules.hpp). An empty body
/// passes as an empty one of any kind.
enum class Body { none, json, large_json, json_with_images, form, multipart };

/// Data that the statement that checks the session reads besides the caller.
enum class WithSession {
    nothing,
    list, ///< the provider list (context.list); in usershell-manage only
};

/// The programs whose pages have the form that a route takes: whose anti-forgery tokens are good.
enum class FormOf { own_pages, any_page };

using Handler = std::function<web::Response(RequestContext&)>;

/// A call that a request has begun. It ends with the last copy of `run`.
struct BegunCall {
    std::optional<store::Caller> caller; ///< null: the session is not good
    Handler run;
};
/// Begins the call of a request whose body has been parsed as far as it is well-formed, and whose
/// other checks are still to be made.
using BeginCall = std::function<BegunCall(RequestContext&)>;

/// A route of the pages, whose session is looked up before its handler runs.
struct SessionRoute {
    Access access;
    Body body;
    Handler run;
    WithSession with_session = WithSession::nothing;
    FormOf form_of = FormOf::own_pages;
};
/// As one of Access::json, but the statement that begins the call finds the session.
struct CallRoute {
    Body body;
    BeginCall begin;
    /// Begins the call that reads a large body as it arrives. Its handler then gives the whole
    /// request to RequestContext::serve_whole. Null: large bodies are read before, as others are.
    BeginCall begin_late{};
};
/// By an access token, which the handler reads; the body may be late.
struct ToolRoute {
    Handler run;
};

struct Route {
    web::Method method;
    std::string_view pattern; ///< a literal
    std::variant<SessionRoute, CallRoute, ToolRoute> kind;
};

/// Literal paths before patterns that would match them too.
using Routes = std::vector<Route>;

/// Makes routes of one access, with handlers that take the program's services. A GET has no body;
/// another method has `body`. `services` outlives the routes.
template <class Services>
struct RouteRows {
    using Handle = web::Response (*)(Services&, RequestContext&);

    Services& services;
    Access access;
    Body body;

    Route operator()(web::Method method, std::string_view pattern, Handle handle,
                     std::optional<Body> other = std::nullopt) const {
        const Body own = method == web::Method::get ? Body::none : body;
        return {method, pattern,
                SessionRoute{access, other.value_or(own), [&all = services, handle](auto& context) {
                                 return handle(all, context);
                             }}};
    }
};

// clang before 17 deduces no aggregate's arguments.
template <class Services>
RouteRows(Services&, Access, Body) -> RouteRows<Services>;

/// The patterns of the routes, in their order.
inline std::vector<std::string_view> patterns_of(const Routes& routes) {
    std::vector<std::string_view> patterns;
    for (const Route& route : routes) patterns.push_back(route.pattern);
    return patterns;
}

} // namespace usershell::pipeline
