// Query, cookies and headers of a request. Pieces parted by a NUL: path, query, Cookie, Accept,
// Accept-Language, Content-Type, If-None-Match.
#include "auth/cookies.hpp"
#include "manage/conditional.hpp"
#include "rings.hpp"
#include "target.hpp"
#include "web/header_value.hpp"
#include "web/language.hpp"
#include "web/router.hpp"

#include <algorithm>

namespace {

using namespace usershell;

const std::vector<web::Language>& languages() {
    static const std::vector<web::Language> all = [] {
        std::vector<web::Language> two(1);
        two.emplace_back(USERSHELL_SOURCE_DIR "/templates/languages/de.json");
        return two;
    }();
    return all;
}

web::Request request_of(std::string_view input) {
    fuzz::Input from{input};
    web::Request request;
    request.path = from.piece();
    request.query = from.piece();
    for (const char* name : {"cookie", "accept", "accept-language", "content-type"})
        request.headers.emplace(name, from.piece());
    request.headers.emplace("if-none-match", from.rest());
    return request;
}

void check_cookies(const web::Request& request) {
    const auto value = request.cookie("language");
    fuzz::require(!value || value->find(';') == std::string_view::npos, "a cookie ends at its end");
    const auto code = web::preferred_language(request, languages());
    fuzz::require(code == "en" || code == "de", "a page has a language that there is");
    const store::StampedUser who{*UserId::parse("5f6f1c0e-0000-4000-8000-000000000001"), "stamp"};
    auth::visitor_antiforgery_key(fuzz::rings().auth_secret, request);
    fuzz::require(!auth::known_device(fuzz::rings().auth_secret, request, who),
                  "nobody makes a device's cookie");
}

void check_header(std::string_view text) {
    const auto value = web::parse_header_value(text);
    if (!value) return;
    fuzz::require(web::main_value(value->main) == value->main, "a media type is canonical");
}

void run(std::string_view input) {
    const auto request = request_of(input);
    for (const char* name : {"token", "a"}) {
        const auto value = request.query_value(name);
        fuzz::require(!value || web::is_form_text(*value), "a query's value is text");
    }
    check_cookies(request);
    check_header(request.header("content-type").value_or(""));
    check_header(request.header("accept").value_or(""));
    request.asks_for("application/json");
    manage::names_tag(request, "\"tag\"");
    web::PathParameters parameters;
    if (web::match_path("/user/{id}/models/{model}", request.path, parameters))
        fuzz::require(parameters.size() == 2 && request.path == "/user/" + parameters["id"] +
                                                                    "/models/" +
                                                                    parameters["model"],
                      "a path is its pattern with its parameters");
}

// nginx takes four header lines of 8 KiB each.
const fuzz::Target target{"request", run, std::size_t{32} * 1024};

} // namespace
