// The one place where a refusal becomes an answer: JSON as in docs/contract.md, section 1, on JSON
// routes, a page from a template elsewhere. Pure but for the templates; any thread may call.
#pragma once

#include "base/error.hpp"
#include "web/message.hpp"
#include "web/pages.hpp"

#include <string>

namespace usershell::app {

/// {"error", "code", "field"?, "requestId"}.
web::Response answer_json(const Refusal& refusal, const std::string& request_id);

/// The page "error" with the same status, naming the request id.
web::Response answer_page(const Refusal& refusal, const std::string& request_id,
                          const web::Pages& pages);

} // namespace usershell::app
