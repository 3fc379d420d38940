// One request on its way through its handler: who asks, the route's parameters, the body as the
// route's kind of body, and the store. Made by Dispatch once all checks have passed that need no
// handler. Used by one thread, and gone when the handler returns: an answer that comes later keeps
// nothing of it.
#pragma once

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/wiping.hpp"
#include "crypto/secret.hpp"
#include "runtime/task.hpp"
#include "store/database/database.hpp"
#include "store/providers/providers.hpp"
#include "store/users/sessions.hpp"
#include "web/body.hpp"
#include "web/message.hpp"
#include "web/router.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace usershell::pipeline {

struct RequestContext {
    const web::Request& request;
    store::Lease& lease;
    web::PathParameters parameters{};
    std::optional<store::Caller> signed_in{};
    store::KeptList list{}; ///< of a route that has WithSession::list
    web::JsonBody json{};   ///< of a Body::json, large_json or json_with_images route
    web::Form form{};       ///< of a Body::form or Body::multipart route

    /// On routes that need a session only.
    const store::Caller& caller() const { return signed_in.value(); }
    const UserId& user() const { return caller().user; }

    /// A path parameter as an id; a malformed one names nothing: 404.
    template <class IdType>
    IdType id(std::string_view parameter) const {
        const auto found = parameters.find(parameter);
        auto parsed = found == parameters.end() ? std::nullopt : IdType::parse(found->second);
        if (!parsed) throw not_found();
        return *parsed;
    }

    /// A form field, empty when missing.
    std::string form_value(std::string_view field) const { return std::string{form_view(field)}; }
    /// The same of a password.
    crypto::Secret form_secret(std::string_view field) const {
        return crypto::Secret{form_view(field)};
    }
    /// The bytes of a file of a multipart form, empty when missing.
    std::string_view file(std::string_view field) const {
        const auto found = form.files.find(field);
        return found == form.files.end() ? std::string_view{} : found->second;
    }

private:
    std::string_view form_view(std::string_view field) const {
        const auto found = form.fields.find(field);
        return found == form.fields.end() ? std::string_view{} : std::string_view{found->second};
    }
};

// A row of a program's route table.

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

/// The call of a request. It ends with its answer or, by a statement, with the last copy of these.
struct PageCall {
    /// Finds the caller; null: the session is not good. The body has been parsed as far as it is
    /// well-formed; the other checks are still to be made. While it is awaited the call begins
    /// without it, and then again, as the same call.
    std::function<std::optional<store::Caller>(RequestContext&)> begin;
    /// The awaited body, of bytes as of Request::awaited and at most `max`. After begin(). Begins
    /// and ends on a thread that may wait.
    std::function<Task<WipedString>(web::Stream&, std::size_t awaited, std::size_t max)> read_body;
    Handler run;
};

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
    /// `token_hash`: of the caller's token.
    std::function<PageCall(const web::Request&, const std::string& token_hash)> make;
};
/// By an access token, which the handler reads; the body may be awaited.
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
