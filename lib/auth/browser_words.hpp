// The browser and system that a sign-in comes from, in words by which people recognise their own
// devices. Pure.
#pragma once

#include "base/sentence.hpp"
#include "web/message.hpp"

#include <string>
#include <string_view>

namespace usershell::auth {

/// "Firefox on Linux" of the header User-Agent. Only words of ours are ever in it, so that nothing
/// that a client sends is stored or shown.
Sentence browser_words(std::string_view user_agent);
/// Of the request, as the store keeps them.
std::string browser_of(const web::Request& request);

} // namespace usershell::auth
