// FastCGI parameters → Request. Pure; any thread may call it.
#pragma once

#include "base/wiping.hpp"
#include "web/message.hpp"

#include <cstddef>
#include <string>

namespace usershell::fcgi {

/// `params`: "NAME=value" strings, ended by a nullptr. Reads REQUEST_METHOD, REQUEST_URI (raw:
/// split at the first
/// '?'), CONTENT_TYPE, CONTENT_LENGTH, REMOTE_ADDR and HTTP_*; ignores the rest. `body_size`: what
/// came, of which `body` is empty when it was too large to be kept. `id` becomes the request's id;
/// a client's own X-Request-Id is dropped. Throws a Refusal, 400: one of those parameters, Cookie
/// or Content-Type stands twice; no path; a CONTENT_LENGTH that is no number or not the body's
/// size. `request` is filled as far as was read, so that a refusal can be answered in the form that
/// the client accepts.
void fill_request(web::Request& request, const char* const* params, WipedString body,
                  std::size_t body_size, std::string id);

} // namespace usershell::fcgi
