// What a new password must be, once: for the profile's form, the mailed link and usershellctl, so
// that nobody is given a password that can't be used to sign in. Pure; any thread may call.
#pragma once

#include <string>
#include <string_view>

namespace usershell {

/// Empty when `password` may be used as a new one; else a sentence (docs/contract.md, section 2).
std::string new_password_error(std::string_view password);

} // namespace usershell
