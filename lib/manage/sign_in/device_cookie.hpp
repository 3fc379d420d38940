// Browsers that have signed in to an account before: told by a signed cookie, so that wrong guesses
// of strangers slow down strangers only (OWASP, "Slow Down Online Guessing Attacks with Device
// Cookies"). The cookie gives no access to anything.
#pragma once

#include "manage/services.hpp"
#include "web/message.hpp"

#include <optional>
#include <string>

namespace usershell::manage {

/// The device's own random name, when the request carries a good cookie for that account.
std::optional<std::string> known_device(const Services& services, const web::Request& request,
                                        const std::string& normalized_email);

/// Names this browser for that account, for a year.
void set_device_cookie(web::Response& response, const Services& services,
                       const std::string& normalized_email);

} // namespace usershell::manage
