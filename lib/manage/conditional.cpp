#include "manage/conditional.hpp"

#include "crypto/token.hpp"

#include <utility>

namespace usershell::manage {

std::string tag(std::string_view purpose, std::string_view text) {
    return '"' + crypto::base64url(crypto::token_hash(purpose, text)) + '"';
}

bool names_tag(const web::Request& request, const std::string& etag) {
    // Our tags hold no comma and no quote, so that a tag found in the text is an entry of the list.
    const std::string_view named = request.header("if-none-match").value_or("");
    return named == "*" || named.find(etag) != std::string_view::npos;
}

web::Response not_modified(const std::string& etag) {
    web::Response response;
    response.status = 304;
    return tagged(std::move(response), etag);
}

web::Response tagged(web::Response response, const std::string& etag) {
    response.set("ETag", etag);
    response.set("Cache-Control", "private, no-cache");
    response.set("Vary", "Cookie");
    return response;
}

} // namespace usershell::manage
