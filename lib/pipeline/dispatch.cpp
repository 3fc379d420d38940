#include "pipeline/dispatch.hpp"

#include "base/ascii.hpp"
#include "base/logging/log.hpp"
#include "domain/rules.hpp"
#include "pipeline/answer.hpp"
#include "pipeline/page.hpp"
#include "pipeline/request_body.hpp"
#include "runtime/task.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

namespace usershell::pipeline {
namespace {

// The order of a request's checks: route, method, session, size and media type of the body, the
// body itself, the anti-forgery token, and only then the handler. Each step may refuse, and what
// refuses first decides the answer, so the order is a promise: a stranger learns that a route
// exists and nothing about what is behind it, and a forged request is refused before its body is
// judged. The token may be in the body, though. So the body is parsed before the token is checked,
// and a parse error is kept until the token has been found good (ReadBody).
//
// A call has one round trip to the database for session, slot and provider together. The provider's
// id may be in the body. So the body is parsed first, then the call begins, and the remaining
// checks follow in the same order (run_call). A call whose request is refused ends at once.
//
// An awaited body is not read before its sender is known. So its call begins without it, reads it,
// and begins again with it; then the checks are made that are left (LateCall).
//
// All exceptions are answered in one place, failed(). Each response, made here or later on the
// event loop, passes conclude() once.

bool changes_state(web::Method method) {
    return method != web::Method::get && method != web::Method::head;
}

std::string joined(const std::vector<web::Method>& methods) {
    std::string text;
    for (const web::Method method : methods) {
        if (!text.empty()) text += ", ";
        text += web::name_of(method);
        if (method == web::Method::get) text += ", HEAD";
    }
    return text;
}

std::string sign_in_location(const web::Request& request) {
    if (changes_state(request.method)) return "/auth/login";
    std::string target = request.path;
    if (!request.query.empty()) target.append("?").append(request.query);
    return "/auth/login?returnUrl=" + percent_encoded(target);
}

bool is_of_tools(const Route& route) { return std::holds_alternative<ToolRoute>(route.kind); }

ErrorForm form_of(const Route& route, const web::Request& request) {
    if (is_of_tools(route)) return api_form(route.pattern, request);
    const auto* session = std::get_if<SessionRoute>(&route.kind);
    return !session || session->access == Access::json ? ErrorForm::json : ErrorForm::page;
}

/// Everything dynamic stays out of caches, but for what says otherwise itself (the avatar).
void forbid_caching(web::Response& response) {
    for (const auto& [name, value] : response.headers) {
        if (name == "Cache-Control") return;
    }
    response.set("Cache-Control", "no-store");
}

} // namespace

/// The data of the log line, and the form of an error.
struct Dispatch::Trace {
    std::chrono::steady_clock::time_point begun = std::chrono::steady_clock::now();
    web::Method method{};
    std::string_view pattern = "-";
    ErrorForm form = ErrorForm::as_accepted;
    std::optional<store::Caller> caller{};
    std::string allow{};
};

Dispatch::Dispatch(store::Database& database, Guard guard, Routes routes, const web::Pages* pages,
                   RequestMeter& meter)
    : database_{database},
      guard_{std::move(guard)},
      routes_{std::move(routes)},
      pages_{pages},
      meter_{meter} {}

/// An answer that comes later, with what dispatch has to do once it has come.
class Dispatch::LoggedResponse final : public web::AsyncResponse {
public:
    LoggedResponse(const Dispatch& dispatch, std::unique_ptr<web::AsyncResponse> answer,
                   Trace trace, std::string request_id)
        : dispatch_{dispatch},
          answer_{std::move(answer)},
          trace_{std::move(trace)},
          request_id_{std::move(request_id)} {}

    Task<web::Response> run(web::Stream& stream) override {
        co_return concluded(co_await settle(answer_->run(stream)));
    }

private:
    web::Response concluded(Settled<web::Response> end) {
        const LogContext context{request_id_};
        web::Request request; // the members that an error response needs
        request.id = request_id_;
        web::Response response =
            end.failure ? dispatch_.failed(end.failure, request, trace_) : std::move(*end.value);
        dispatch_.conclude(response, trace_);
        return response;
    }

    const Dispatch& dispatch_;
    std::unique_ptr<web::AsyncResponse> answer_;
    Trace trace_;
    std::string request_id_;
};

web::Response Dispatch::refuse(const Refusal& refusal, const web::Request& request) const noexcept {
    log(Level::warning, "request refused",
        {{"why", refusal.sentence().english()}, {"status", std::to_string(refusal.status())}});
    const auto match = web::find_route(routes_, request.method, request.path);
    const auto form = match.first == nullptr
                          ? ErrorForm::as_accepted
                          : form_of(match.row != nullptr ? *match.row : *match.first, request);
    return answer(refusal, request, pages_, form);
}

web::Response Dispatch::serve(const web::Request& request) const noexcept {
    Trace trace{.method = request.method};
    web::Response response;
    try {
        response = run(request, trace);
    } catch (...) {
        response = failed(std::current_exception(), request, trace);
    }
    if (response.async)
        response.async = std::make_unique<LoggedResponse>(*this, std::move(response.async),
                                                          std::move(trace), request.id);
    else
        conclude(response, trace);
    return response;
}

web::Response Dispatch::failed(const std::exception_ptr& failure, const web::Request& request,
                               Trace& trace) const noexcept {
    try {
        std::rethrow_exception(failure);
    } catch (const Refusal& refusal) {
        if (!trace.caller) trace.caller = reader_of(refusal, request, trace.form);
        return answer(refusal, request, pages_, trace.form, trace.caller);
    } catch (const std::exception& error) {
        log(Level::error, "request failed",
            {{"route", std::string{trace.pattern}}, {"error", loggable(error)}});
    } catch (...) {
        log(Level::error, "request failed",
            {{"route", std::string{trace.pattern}}, {"exception", "unknown"}});
    }
    return answer(internal_error(), request, pages_, trace.form, trace.caller);
}

std::optional<store::Caller>
Dispatch::reader_of(const Refusal& refusal, const web::Request& request, ErrorForm form) const {
    const bool is_page = form == ErrorForm::page ||
                         (form == ErrorForm::as_accepted && request.asks_for("text/html"));
    const bool before_session = refusal.status() == 404 || refusal.status() == 405;
    if (pages_ == nullptr || !is_page || !before_session) return std::nullopt;
    try {
        store::Lease lease{database_};
        return guard_.identify(request, lease);
    } catch (const std::exception&) {
        return std::nullopt; // the page does without
    }
}

void Dispatch::conclude(web::Response& response, const Trace& trace) const {
    if (!trace.allow.empty()) response.set("Allow", trace.allow);
    forbid_caching(response);
    const auto duration = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::steady_clock::now() - trace.begun);
    meter_.count(trace.method, trace.pattern, response.status, duration);
    log(response.status >= 500 ? Level::warning : Level::info, "request",
        {{"method", std::string{web::name_of(trace.method)}},
         {"route", std::string{trace.pattern}},
         {"status", std::to_string(response.status)},
         {"ms", std::to_string(duration.count() / 1000)},
         {"user", trace.caller ? trace.caller->user.text() : "-"}});
}

web::Response Dispatch::run(const web::Request& request, Trace& trace) const {
    auto match = web::find_route(routes_, request.method, request.path);
    if (match.first == nullptr) {
        if (const auto meant = slip(request.path)) {
            trace.form = api_form(*meant, request);
            throw unknown_route(request.path, *meant);
        }
        throw not_found();
    }
    const Route& route = match.row != nullptr ? *match.row : *match.first;
    trace.pattern = route.pattern;
    trace.form = form_of(route, request);
    if (match.row == nullptr) {
        // After 405, Codex asks for a WebSocket five times again.
        if (is_of_tools(route) && request.header("upgrade")) throw not_found();
        trace.allow = joined(match.allowed);
        throw Refusal{ErrorCode::method_not_allowed, "This can’t be called with that method."_en};
    }

    store::Lease lease{database_};
    RequestContext context{request, lease};
    context.parameters = std::move(match.parameters);
    if (const auto* call = std::get_if<CallRoute>(&route.kind)) {
        const auto hash = guard_.token_hash_of(request);
        if (!hash) require(std::nullopt);
        return run_call(context, *call, call->make(request, *hash), trace);
    }
    if (const auto* tool = std::get_if<ToolRoute>(&route.kind)) {
        web::Response response = tool->run(context);
        trace.caller = context.signed_in;
        return response;
    }
    return run_session(context, std::get<SessionRoute>(route.kind), trace);
}

web::Response Dispatch::run_session(RequestContext& context, const SessionRoute& route,
                                    Trace& trace) const {
    const web::Request& request = context.request;
    identify(context, route.with_session);
    trace.caller = context.signed_in;
    if (route.access == Access::json) require(context.signed_in);
    if (!context.signed_in && route.access == Access::page) {
        web::Response response = web::Response::redirect(302, sign_in_location(request));
        if (guard_.token_hash_of(request)) leave_notice(response, Notice::session_over);
        return response;
    }
    if (changes_state(request.method)) {
        check_body(request, route.body);
        const ReadBody body = read_body(context, route.body);
        check_change(context, form_keys(context, route), body);
    }
    return route.run(context);
}

std::optional<std::string> Dispatch::slip(std::string_view path) const {
    return std::ranges::any_of(routes_, is_of_tools) ? slip_of(path) : std::nullopt;
}

bool Dispatch::reads_late(std::string_view uri, std::size_t announced) const {
    const auto path = uri.substr(0, uri.find('?'));
    const bool is_large = announced == 0 || announced >= rules::min_late_body;
    return slip(path) || std::ranges::any_of(routes_, [&](const Route& route) {
               web::PathParameters parameters;
               const auto* call = std::get_if<CallRoute>(&route.kind);
               const bool is_late =
                   call ? is_large && most_bytes_of(call->body) >= rules::min_late_body
                        : is_of_tools(route);
               return is_late && web::match_path(route.pattern, path, parameters);
           });
}

void Dispatch::identify(RequestContext& context, WithSession with) const {
    if (with == WithSession::nothing) {
        context.signed_in = guard_.identify(context.request, context.lease);
    } else if (auto found = guard_.identify_with_list(context.request, context.lease)) {
        context.signed_in = std::move(found->caller);
        context.list = std::move(found->list);
    }
}

/// A call whose body is awaited, and the request without it.
class Dispatch::LateCall final : public web::AsyncResponse {
public:
    LateCall(const Dispatch& dispatch, const CallRoute& route, RequestContext& context,
             PageCall call)
        : dispatch_{dispatch},
          route_{route},
          request_{context.request},
          parameters_{std::move(context.parameters)},
          call_{std::move(call)} {}

    Task<web::Response> run(web::Stream& stream) override {
        const PageCall call = std::move(call_); // one that is refused ends here, on a thread
        const std::size_t awaited = *std::exchange(request_.awaited, std::nullopt);
        request_.body = co_await call.read_body(stream, awaited, most_bytes_of(route_.body));
        web::Response response = respond(call);
        if (response.async) co_return co_await response.async->run(stream);
        co_return response;
    }

private:
    /// The body is gone then.
    web::Response respond(const PageCall& call) {
        const LogContext log{request_.id};
        const web::Request request = std::move(request_);
        store::Lease lease{dispatch_.database_};
        RequestContext context{request, lease};
        context.parameters = std::move(parameters_);
        Trace trace; // its caller is known
        return dispatch_.run_call(context, route_, call, trace);
    }

    const Dispatch& dispatch_;
    const CallRoute& route_;
    web::Request request_;
    web::PathParameters parameters_;
    PageCall call_;
};

web::Response Dispatch::run_call(RequestContext& context, const CallRoute& route, PageCall call,
                                 Trace& trace) const {
    const web::Request& request = context.request;
    const bool changes = changes_state(request.method);
    const ReadBody body = changes && request.body.size() <= most_bytes_of(route.body)
                              ? read_body(context, route.body)
                              : ReadBody{};
    trace.caller = context.signed_in = call.begin(context);
    require(context.signed_in);
    if (changes) check_body(request, route.body);
    if (request.awaited) {
        web::Response response;
        response.async = std::make_unique<LateCall>(*this, route, context, std::move(call));
        return response;
    }
    if (changes) check_change(context, {context.caller().antiforgery_key}, body);
    return call.run(context);
}

void Dispatch::require(const std::optional<store::Caller>& caller) {
    if (!caller) throw Refusal{ErrorCode::not_signed_in, "Sign in first."_en};
}

std::vector<std::string> Dispatch::form_keys(const RequestContext& context,
                                             const SessionRoute& route) const {
    std::vector<std::string> keys;
    if (route.access != Access::open)
        keys.push_back(context.caller().antiforgery_key);
    else if (auto key = guard_.anonymous_key_of(context.request))
        keys.push_back(*std::move(key));
    if (route.form_of == FormOf::any_page) keys.push_back(context.caller().frame_key);
    return keys;
}

void Dispatch::check_change(const RequestContext& context, const std::vector<std::string>& keys,
                            const ReadBody& body) const {
    guard_.check_forgery(context.request, keys, body.token);
    if (body.malformed) std::rethrow_exception(body.malformed);
}

} // namespace usershell::pipeline
