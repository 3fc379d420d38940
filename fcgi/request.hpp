// FastCGI parameters → Request. Pure; any thread may call it.
#pragma once

#include "fcgi/libfcgi.hpp"
#include "web/message.hpp"

namespace usershell::fcgi {

/// Reads REQUEST_METHOD, REQUEST_URI (raw: split at the first '?'), CONTENT_TYPE, CONTENT_LENGTH,
/// REMOTE_ADDR and HTTP_*; ignores the rest, and a client's own X-Request-Id: the id is the
/// caller's to set. Throws a Refusal, 400, if one of those parameters, Cookie or Content-Type is
/// there twice, there is no path, or CONTENT_LENGTH is not the body's size. `request` is filled as
/// far as was read, so that a refusal can be answered in the form that the client accepts. It gets
/// the body of `records`.
void fill_request(web::Request& request, RequestRecords& records);

} // namespace usershell::fcgi
