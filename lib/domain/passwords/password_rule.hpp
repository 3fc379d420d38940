// Which new passwords are accepted: one rule for the profile's form, the mailed link and
// usershellctl (docs/contract.md, section 2; why so: docs/decisions/0010-new-passwords.md).
#pragma once

#include "base/sentence.hpp"
#include "domain/passwords/common_passwords.hpp"

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

    /// The rule that a new password of the user with that address and name breaks, as a sentence;
    /// empty when it is good. The sentence does not quote the password, and no copy of the password
    /// stays in memory. Reads the list; throws ConfigError when the file has gone.
    Sentence error_in(std::string_view password, std::string_view email,
                      std::string_view name) const;

private:
    CommonPasswords common_;
    std::vector<std::string> service_; ///< the service's names, letters only
};

} // namespace usershell
