// Browsers that have signed in to an account before: told by a signed cookie, so that wrong guesses
// of strangers slow down strangers only (OWASP, "Slow Down Online Guessing Attacks with Device
// Cookies"). The cookie gives no access to anything.
#pragma once

#include "manage/manage.hpp"
#include "web/message.hpp"

#include <optional>
#include <string>

namespace usershell {

/// The device's own random name, when the request carries a good cookie for that account.
std::optional<std::string> known_device(const Manage& manage, const Request& request,
                                        const std::string& normalized_email);

/// Names this browser for that account, for a year.
void set_device_cookie(Response& response, const Manage& manage,
                       const std::string& normalized_email);

} // namespace usershell
