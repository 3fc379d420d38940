#include "app/answer.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace usershell::app {
namespace {

web::Response with_retry(web::Response response, const Refusal& refusal) {
    if (const auto wait = refusal.retry_after()) {
        response.set("Retry-After", std::to_string(std::max<long long>(1, wait->count())));
    }
    return response;
}

std::string headline(int status) {
    switch (status) {
    case 404:
        return "There is nothing here";
    case 405:
        return "That can't be done here";
    case 409:
        return "That is no longer possible";
    case 413:
        return "That is too large";
    case 429:
        return "Too many tries";
    case 503:
        return "Back in a moment";
    default:
        return status < 500 ? "That did not work" : "Something went wrong";
    }
}

} // namespace

web::Response answer_json(const Refusal& refusal, const std::string& request_id) {
    boost::json::object body{{"error", refusal.sentence()}, {"code", name_of(refusal.code())}};
    if (!refusal.field().empty()) body["field"] = refusal.field();
    body["requestId"] = request_id;
    return with_retry(web::Response::json(boost::json::serialize(body), refusal.status()), refusal);
}

web::Response answer_page(const Refusal& refusal, const std::string& request_id,
                          const web::Pages& pages) {
    web::PageData data;
    data.set("TITLE", headline(refusal.status()));
    data.set("STATUS", std::to_string(refusal.status()));
    data.set("HEADLINE", headline(refusal.status()));
    data.set("MESSAGE", refusal.sentence());
    data.set("REQUEST_ID", request_id);
    return with_retry(web::Response::html(pages.render("error", data), refusal.status()), refusal);
}

} // namespace usershell::app
