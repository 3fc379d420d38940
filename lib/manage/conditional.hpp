// Answers with an ETag, which a browser keeps and asks for again: "has it changed?" (RFC 9110, 13).
// They are private and asked for each time, so that nothing is shown to whom it is not for. Pure.
#pragma once

#include "web/message.hpp"

#include <string>
#include <string_view>

namespace usershell::manage {

/// A tag of a text, for that purpose: quoted, without commas.
std::string tag(std::string_view purpose, std::string_view text);

/// The request's If-None-Match names that tag: a list, compared weakly (nginx weakens the tag of
/// what it compresses).
bool names_tag(const web::Request& request, const std::string& etag);

/// 304.
web::Response not_modified(const std::string& etag);

web::Response tagged(web::Response response, const std::string& etag);

} // namespace usershell::manage
