// What every page of this wing shows around its own content, and notices that are shown once.
#pragma once

#include "app/call.hpp"
#include "web/pages.hpp"

#include <string>

namespace usershell {

/// Title, anti-forgery token, who is signed in, a pending notice, and the page's script ("" for
/// none).
PageData page_frame(const Call& call, const std::string& title, const std::string& script = {});

/// The page as an answer; a notice shown on it is forgotten.
Response page_answer(const Call& call, const Pages& pages, const std::string& page,
                     const PageData& data);

/// What a redirect leaves to be said on the page it leads to.
enum class Notice {
    name_saved,
    email_change_started,
    email_change_cancelled,
    email_changed,
    avatar_saved,
    password_changed,
    sessions_ended,
    password_reset,
};

/// 303 to `location`, with the notice left for it.
Response see_other(const std::string& location, Notice notice);

} // namespace usershell
