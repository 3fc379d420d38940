// Conditional requests: answers with an ETag, which a browser caches and revalidates (RFC 9110,
// 13). They are marked private and no-cache, so that the browser asks each time and no one else is
// shown them. Pure.
#pragma once

#include "web/message.hpp"

#include <string>
#include <string_view>

namespace usershell::manage {

/// A tag of a text, for that purpose: quoted, without commas.
std::string tag(std::string_view purpose, std::string_view text);

/// Does the request's If-None-Match, a list, name that tag? Compared weakly (nginx weakens the tags
/// of what it compresses).
bool names_tag(const web::Request& request, const std::string& etag);

/// 304.
web::Response not_modified(const std::string& etag);

web::Response tagged(web::Response response, const std::string& etag);

} // namespace usershell::manage
