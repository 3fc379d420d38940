// What every page shows around its own content: its title, and who is signed in. Pure but for the
// anti-forgery token, which is drawn anew; any thread may call.
#pragma once

#include "store/users/sessions.hpp"
#include "web/pages.hpp"

#include <optional>
#include <string>

namespace usershell::app {

/// TITLE and, for whoever is signed in, ANTIFORGERY and the section SIGNED_IN.
web::PageData frame(const std::optional<store::Caller>& caller, const std::string& title);

} // namespace usershell::app
