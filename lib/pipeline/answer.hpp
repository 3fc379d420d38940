// The one place where a refusal becomes an answer: JSON as in docs/contract.md, section 1, or a
// page from a template; and the frame of every page. Any thread may call.
#pragma once

#include "base/error.hpp"
#include "pipeline/api_error.hpp"
#include "store/users/sessions.hpp"
#include "web/message.hpp"
#include "web/pages.hpp"

#include <optional>
#include <string>

namespace usershell::pipeline {

/// The title, and for a signed-in caller their name, the section SIGNED_IN and a new anti-forgery
/// token: a page's first values.
web::PageData frame(const std::optional<store::Caller>& caller, English title);

/// The answer, with the refusal's status and its Retry-After. Of `request` only id and headers
/// count: the rest need not have been read. `pages`: nullptr in a program without pages, which
/// answers in JSON whatever the form. `caller`: the signed-in user whose navigation the page shows.
/// Never fails: a page that can't be rendered becomes JSON.
web::Response answer(const Refusal& refusal, const web::Request& request, const web::Pages* pages,
                     ErrorForm form = ErrorForm::as_accepted,
                     const std::optional<store::Caller>& caller = std::nullopt);

} // namespace usershell::pipeline
