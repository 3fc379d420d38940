#include "fcgi/own_answers.hpp"

#include <string>

namespace usershell::fcgi {

namespace {

std::string page(const Refusal& refusal, const web::Request& request) {
    const std::string status = std::to_string(refusal.status());
    return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + status +
           "</title></head>\n<body><h1>" + status + "</h1><p>" + refusal.sentence() +
           "</p><p>Request <code>" + request.id + "</code></p></body></html>\n";
}

std::string document(const Refusal& refusal, const web::Request& request) {
    std::string text = R"({"error":")" + refusal.sentence() + R"(","code":")" +
                       std::string{name_of(refusal.code())} + '"';
    if (!refusal.field().empty()) text += R"(,"field":")" + refusal.field() + '"';
    return text + R"(,"requestId":")" + request.id + R"("})";
}

} // namespace

web::Response own_answer(const Refusal& refusal, const web::Request& request) {
    const bool wants_page =
        request.header("accept").value_or("").find("text/html") != std::string_view::npos;
    web::Response response =
        wants_page ? web::Response::html(page(refusal, request), refusal.status())
                   : web::Response::json(document(refusal, request), refusal.status());
    response.set("Cache-Control", "no-store");
    if (const auto wait = refusal.retry_after())
        response.set("Retry-After", std::to_string(wait->count()));
    return response;
}

} // namespace usershell::fcgi
