// The head of an answer as CGI writes it (RFC 3875, 6.3), checked so that no value can forge a
// header. Pure; any thread may call it.
#pragma once

#include "base/error.hpp"
#include "web/message.hpp"

#include <string>
#include <string_view>

namespace usershell::fcgi {

/// A status or header that must not go out; what() names it, without its value.
class BadHead : public Error {
public:
    using Error::Error;
};

/// The head of a whole answer, blank line included: Status, the headers, X-Request-Id and
/// Content-Length (but for 204 and 304). The response's own X-Request-Id and Content-Length are
/// left out. Throws BadHead.
std::string whole_head(const web::Response& response, std::string_view request_id);

/// The head of a stream: no length, and X-Accel-Buffering: no, so that nginx passes each piece on
/// at once.
std::string stream_head(const web::Response& response, std::string_view request_id);

} // namespace usershell::fcgi
