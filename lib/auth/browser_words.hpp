// The browser and system that a sign-in comes from, in words by which people recognise their own
// devices. Pure.
#pragma once

#include "web/message.hpp"

#include <string>
#include <string_view>

namespace usershell::auth {

/// "Firefox on Linux" of the header User-Agent. Only words of ours are ever in it, so that nothing
/// that a client sends is stored or shown.
std::string browser_words(std::string_view user_agent);
std::string browser_of(const web::Request& request);

} // namespace usershell::auth
