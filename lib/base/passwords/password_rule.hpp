// Which new passwords are accepted: one rule for the profile's form, the mailed link and
// usershellctl (docs/contract.md, section 2; why so: docs/decisions/0010-new-passwords.md).
#pragma once

#include "base/passwords/common_passwords.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell {

/// Immutable after construction; any thread may ask.
class PasswordRule {
public:
    /// `list`: the file of common passwords; throws as CommonPasswords does. `origin`: where the
    /// service is reached ("": nowhere known); its host is a name of the service as well.
    PasswordRule(const std::string& list, std::string_view origin);

    /// What is wrong with a new password of the person with that address and name, as a sentence
    /// that says which rule it breaks and nothing of the password; empty: nothing. No copy of the
    /// password stays behind in memory. Reads the list; throws ConfigError when that has gone.
    std::string error_in(std::string_view password, std::string_view email,
                         std::string_view name) const;

private:
    CommonPasswords common_;
    std::vector<std::string> service_; ///< the service's names, letters only
};

} // namespace usershell
