// The frame of each page, and notices that are shown once.
#pragma once

#include "pages/templates.hpp"
#include "pipeline/route.hpp"
#include "web/pages.hpp"

#include <string>

namespace usershell::pipeline {

/// Title, anti-forgery token, who is signed in, a pending notice, the page's script among the
/// assets ("providers.js", "" for none).
web::PageData page_frame(const RequestContext& context, English title,
                         const std::string& script = {});

/// The page as an answer; a notice shown on it is forgotten. It is shown in the part that it is
/// about, if the page has one: NAME_NOTICE of that with the id "name".
web::Response page_answer(const RequestContext& context, const web::Pages& pages, pages::Page page,
                          web::PageData data);

/// The section with that message; not shown when empty.
void show_error(web::PageData& data, const std::string& section, const Sentence& message);

/// A message that a redirect leaves, in a cookie, to be shown once on the page it leads to.
enum class Notice {
    name_saved,
    email_change_started,
    email_change_cancelled,
    email_changed,
    avatar_saved,
    password_changed,
    app_added,
    passkey_added,
    passkey_renamed,
    factor_removed,
    sessions_ended,
    session_ended,
    signed_out,
    password_reset,
    user_deleted,
    session_over,
    link_ended,
    token_changed,
    token_enabled,
    token_disabled,
    token_revoked,
};

void leave_notice(web::Response& response, Notice notice);
/// 303 to `location`, with the notice left for it; to the part of the page that shows it.
web::Response see_other(const std::string& location, Notice notice);

} // namespace usershell::pipeline
