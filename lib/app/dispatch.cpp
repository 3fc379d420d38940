#include "app/dispatch.hpp"

#include "app/answer.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>

namespace usershell {
namespace {

bool changes_state(Method method) { return method != Method::get && method != Method::head; }

std::string joined(const std::vector<Method>& methods) {
    std::string text;
    for (const Method method : methods) {
        if (!text.empty()) text += ", ";
        text += name_of(method);
        if (method == Method::get) text += ", HEAD";
    }
    return text;
}

std::string sign_in_location(const Request& request) {
    if (changes_state(request.method)) return "/auth/login";
    std::string target = request.path;
    if (!request.query.empty()) target += "?" + request.query;
    return "/auth/login?returnUrl=" + percent_encoded(target);
}

std::string media_type(const Request& request) {
    const std::string type = request.header("content-type").value_or("");
    return type.substr(0, type.find_first_of("; \t"));
}

std::string_view expected_media_type(Body body) {
    switch (body) {
    case Body::json:
        return "application/json";
    case Body::form:
        return "application/x-www-form-urlencoded";
    case Body::multipart:
        return "multipart/form-data";
    case Body::none:
        break;
    }
    return {};
}

bool same_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
        return std::tolower(x) == std::tolower(y);
    });
}

/// Size and media type: 413 before 415.
void check_body(const Request& request, Body body) {
    const std::size_t limit = body == Body::multipart ? max_multipart_body : max_small_body;
    if (request.body_size > limit || request.body_size != request.body.size()) {
        throw Refusal{Code::body_too_large,
                      "The request is larger than " + std::to_string(limit / 1024) + " KiB."};
    }
    if (body == Body::none || request.body.empty()) return;
    const std::string_view expected = expected_media_type(body);
    if (!same_ignoring_case(media_type(request), expected)) {
        throw Refusal{Code::unsupported_media_type, "Send this as " + std::string{expected} + "."};
    }
}

std::optional<std::string> field_token(const Fields& fields) {
    const auto found = fields.find(antiforgery_field);
    if (found == fields.end()) return std::nullopt;
    return found->second;
}

/// The body in the route's form, and the anti-forgery token in it. What is malformed is kept to be
/// thrown after the anti-forgery check: a stranger learns nothing from it.
struct ReadBody {
    std::optional<std::string> token{};
    std::exception_ptr malformed{};
};

ReadBody read_body(Call& call, Body body) {
    ReadBody read;
    if (call.request.body.empty()) return read;
    try {
        switch (body) {
        case Body::json:
            call.json = JsonBody::parse(call.request.body);
            read.token = call.json.text(antiforgery_field);
            break;
        case Body::form:
            call.form = parse_form(call.request.body);
            read.token = field_token(call.form);
            break;
        case Body::multipart:
            call.multipart = parse_multipart(call.request.header("content-type").value_or(""),
                                             call.request.body);
            call.form = call.multipart.fields;
            read.token = field_token(call.form);
            break;
        case Body::none:
            break;
        }
    } catch (const Refusal&) {
        read.malformed = std::current_exception();
    }
    return read;
}

/// Everything dynamic stays out of caches, but for what says otherwise itself (the avatar).
void forbid_caching(Response& response) {
    for (const auto& [name, value] : response.headers) {
        if (name == "Cache-Control") return;
    }
    response.set("Cache-Control", "no-store");
}

} // namespace

/// What the log line and the form of an error need to know.
struct Dispatch::Trace {
    std::string_view pattern = "-";
    bool json = false;
    std::optional<UserId> user{};
    std::string allow{};
};

Dispatch::Dispatch(Database& database, Guard guard, Routes routes, const Pages* pages)
    : database_{database},
      guard_{std::move(guard)},
      routes_{std::move(routes)},
      pages_{pages} {}

Response Dispatch::serve(const Request& request, Stream& stream) const {
    const auto begun = std::chrono::steady_clock::now();
    Trace trace;
    Response response;
    try {
        response = run(request, stream, trace);
    } catch (const Refusal& refusal) {
        response = refuse(refusal, request, trace);
    } catch (const std::exception& error) {
        log(Level::error, "request failed",
            {{"route", std::string{trace.pattern}}, {"error", error.what()}});
        response =
            refuse({Code::internal_error, "Something went wrong on our side."}, request, trace);
    }
    if (!trace.allow.empty()) response.set("Allow", trace.allow);
    forbid_caching(response);
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begun);
    log(response.status >= 500 ? Level::warning : Level::info, "request",
        {{"method", std::string{name_of(request.method)}},
         {"route", std::string{trace.pattern}},
         {"status", std::to_string(response.status)},
         {"ms", std::to_string(ms.count())},
         {"user", trace.user ? trace.user->text() : "-"}});
    return response;
}

Response Dispatch::run(const Request& request, Stream& stream, Trace& trace) const {
    auto match = find_route(routes_, request.method, request.path);
    if (match.first == nullptr) throw not_found();
    const Route& route = match.row != nullptr ? *match.row : *match.first;
    trace.pattern = route.pattern;
    trace.json = route.access == Access::json;
    if (match.row == nullptr) {
        trace.allow = joined(match.allowed);
        throw Refusal{Code::method_not_allowed, "This can't be called with that method."};
    }

    Lease lease{database_};
    Call call{request, stream, lease};
    call.parameters = std::move(match.parameters);
    call.signed_in = guard_.identify(request, lease);
    if (call.signed_in) trace.user = call.signed_in->user;
    if (!call.signed_in && route.access == Access::json) {
        throw Refusal{Code::not_signed_in, "Sign in first."};
    }
    if (!call.signed_in && route.access == Access::page) {
        return Response::redirect(302, sign_in_location(request));
    }

    if (changes_state(request.method)) {
        check_body(request, route.body);
        const ReadBody body = read_body(call, route.body);
        const bool by_session = route.access != Access::open;
        guard_.check_forgery(
            request, by_session ? call.caller().antiforgery_key : guard_.anonymous_key_of(request),
            body.token);
        if (body.malformed) std::rethrow_exception(body.malformed);
    }
    return route.run(call);
}

Response Dispatch::refuse(const Refusal& refusal, const Request& request,
                          const Trace& trace) const {
    const bool wants_page =
        request.header("accept").value_or("").find("text/html") != std::string::npos;
    const bool as_json = trace.json || pages_ == nullptr || (trace.pattern == "-" && !wants_page);
    try {
        return as_json ? answer_json(refusal, request.id)
                       : answer_page(refusal, request.id, *pages_);
    } catch (const std::exception& error) {
        log(Level::error, "error page failed", {{"error", error.what()}});
        return answer_json(refusal, request.id);
    }
}

} // namespace usershell
