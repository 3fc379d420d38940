#include "pipeline/answer.hpp"

#include "base/logging/log.hpp"
#include "crypto/token.hpp"
#include "pages/templates.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::pipeline {
namespace {

English headline(int status) {
    switch (status) {
    case 404:
        return "There is nothing here"_en;
    case 405:
        return "That can't be done here"_en;
    case 409:
        return "That is no longer possible"_en;
    case 413:
        return "That is too large"_en;
    case 429:
        return "Too many attempts"_en;
    case 503:
        return "Back in a moment"_en;
    default:
        return status < 500 ? "That did not work"_en : "Something went wrong"_en;
    }
}

web::Response as_json(const Refusal& refusal, const std::string& request_id) {
    boost::json::object body;
    refusal.sentence().tell(body, "error");
    body["code"] = name_of(refusal.code());
    if (!refusal.field().empty()) body["field"] = refusal.field();
    if (!refusal.reason().empty()) body["reason"] = refusal.reason();
    for (const auto& [name, text] : refusal.members()) body[name] = text;
    body["requestId"] = request_id;
    return web::Response::json(boost::json::serialize(body), refusal.status());
}

web::Response as_page(const Refusal& refusal, const web::Request& request, const web::Pages& pages,
                      const std::optional<store::Caller>& caller) {
    web::PageData data = frame(caller, headline(refusal.status()));
    data.set("STATUS", std::to_string(refusal.status()));
    data.say("HEADLINE", headline(refusal.status()));
    if (refusal.sentence().english() != std::string{headline(refusal.status()).text()} + ".")
        data.show("SENTENCE").say("MESSAGE", refusal.sentence());
    data.set("REQUEST_ID", request.id);
    return web::Response::html(
        pages.render(pages::template_of(pages::Page::error), data, pages.language_of(request)),
        refusal.status());
}

web::Response in_form(const Refusal& refusal, const web::Request& request, const web::Pages* pages,
                      ErrorForm form, const std::optional<store::Caller>& caller) {
    if (is_api(form)) return api_error(refusal, form, request.id);
    const bool wants_page = form == ErrorForm::page ||
                            (form == ErrorForm::as_accepted && request.asks_for("text/html"));
    if (pages == nullptr || !wants_page) return as_json(refusal, request.id);
    try {
        return as_page(refusal, request, *pages, caller);
    } catch (const std::exception& error) {
        log(Level::error, "error page failed", {{"error", loggable(error)}});
        return as_json(refusal, request.id);
    }
}

} // namespace

web::PageData frame(const std::optional<store::Caller>& caller, English title) {
    web::PageData data;
    data.say("TITLE", title);
    if (caller) {
        data.set("ANTIFORGERY", crypto::issue_antiforgery(caller->antiforgery_key));
        data.show("SIGNED_IN")
            .set("DISPLAY_NAME", caller->display_name)
            .set("EMAIL", caller->email)
            .set("USER_ID", caller->user.text());
    }
    return data;
}

web::Response answer(const Refusal& refusal, const web::Request& request, const web::Pages* pages,
                     ErrorForm form, const std::optional<store::Caller>& caller) {
    web::Response response = in_form(refusal, request, pages, form, caller);
    response.set("Cache-Control", "no-store");
    if (const auto wait = refusal.retry_after(); wait && !is_api(form))
        response.set("Retry-After", std::to_string(wait->count()));
    return response;
}

} // namespace usershell::pipeline
