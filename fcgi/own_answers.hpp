// Answers that the worker gives itself, where a request never reaches the application or the
// application fails. Pure; any thread may call it.
#pragma once

#include "base/error.hpp"
#include "web/message.hpp"

namespace usershell::fcgi {

/// The error body of docs/contract.md, section 1, or a plain page for a client that accepts
/// text/html. `refusal` must have texts of our own in it and nothing of the client's: they are not
/// escaped.
web::Response own_answer(const Refusal& refusal, const web::Request& request);

} // namespace usershell::fcgi
