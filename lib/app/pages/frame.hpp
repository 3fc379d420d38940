// The frame of every page: its title and the signed-in user. Each call draws a new anti-forgery
// token. Any thread may call.
#pragma once

#include "store/users/sessions.hpp"
#include "web/pages.hpp"

#include <optional>
#include <string>

namespace usershell::app {

/// TITLE and, for a signed-in caller, ANTIFORGERY and the section SIGNED_IN.
web::PageData frame(const std::optional<store::Caller>& caller, const std::string& title);

} // namespace usershell::app
