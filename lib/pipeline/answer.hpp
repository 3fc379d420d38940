// The one place where a refusal becomes an answer: JSON as in docs/contract.md, section 1, or a
// page from a template; and the frame of every page. Any thread may call.
#pragma once

#include "base/error.hpp"
#include "store/users/sessions.hpp"
#include "web/message.hpp"
#include "web/pages.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <boost/json/object.hpp>

namespace usershell::pipeline {

/// The forms of an error. Tools expect the last three, below /v1. `responses` is `openai` but for
/// two habits of its one client, Codex: it repeats every failure that is not 400 many times, and in
/// a stream it understands `response.failed` alone.
enum class ErrorForm {
    json,        ///< {"error", "code", "field"?, "requestId"}
    page,        ///< the page "error", naming the request id
    as_accepted, ///< a page for a client that asks for text/html: where no route says it
    openai,      ///< {"error": {"message", "type", "param", "code"}}
    responses,
    anthropic, ///< {"type": "error", "error": {"type", "message"}}
};
constexpr bool is_api(ErrorForm form) { return form >= ErrorForm::openai; }

/// The title, and for a signed-in caller their name, the section SIGNED_IN and a new anti-forgery
/// token: a page's first values.
web::PageData frame(const std::optional<store::Caller>& caller, English title);

/// The answer, with the refusal's status and its Retry-After. Of `request` only id and headers
/// count: the rest need not have been read. `pages`: nullptr in a program without pages, which
/// answers in JSON whatever the form. `caller`: the signed-in user whose navigation the page shows.
/// Never fails: a page that can't be rendered becomes JSON.
web::Response answer(const Refusal& refusal, const web::Request& request, const web::Pages* pages,
                     ErrorForm form = ErrorForm::as_accepted,
                     const std::optional<store::Caller>& caller = std::nullopt);

// Errors of the routes below /v1, in the forms that tools expect there: OpenAI's or Anthropic's.
// Pure. Sources: OpenAI API reference, "Error codes", "Responses" (streaming events); Claude API
// reference, "Errors".

/// Of a route's pattern. The list of models has the form that its caller names.
ErrorForm api_form(std::string_view pattern, const web::Request& request);

/// The route that a tool meant which was given a wrong base URL ("/v1/v1/models",
/// "/chat/completions", "/v1/models/"), "/v1" if that is not known; null: no tool's path.
std::optional<std::string> slip_of(std::string_view path);
/// 404, with that route in the sentence.
Refusal unknown_route(std::string_view path, const std::string& route);

/// The HTTP status of an error there. Other than on pages, a failure at a provider has the status
/// that a provider would give for it.
int api_status(const Refusal& refusal, ErrorForm form);

boost::json::object api_error_document(const Refusal& refusal, ErrorForm form,
                                       const std::string& request_id);

/// The event, or events, that end a stream which has begun.
std::string api_error_events(const Refusal& refusal, ErrorForm form, const std::string& request_id);

/// The whole response. A failure that lasts has X-Should-Retry, and no Retry-After.
web::Response api_error(const Refusal& refusal, ErrorForm form, const std::string& request_id);

} // namespace usershell::pipeline
