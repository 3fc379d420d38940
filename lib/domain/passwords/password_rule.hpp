// Which new passwords are accepted: one rule for the security page's form, the mailed link and
// usershellctl (docs/contract.md, section 2; why so: docs/decisions/0010-new-passwords.md).
#pragma once

#include "base/sentence.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace usershell {

/// Immutable after construction; any thread may ask.
class PasswordRule {
public:
    /// `list`: the file of the passwords that are tried first: breached ones, words and names, one
    /// a line, UTF-8, in any order and case. Throws ConfigError with one sentence when it can't be
    /// read or has no password in it. `origin`: where the service is reached ("": nowhere known);
    /// its host is a name of the service as well.
    PasswordRule(std::string list, std::string_view origin);

    /// The rule that a new password of the user with that address and name breaks, as a sentence;
    /// empty when it is good. Its form of RFC 8265 counts (base/text.hpp). The sentence
    /// does not quote the password, and no copy of the password stays in memory. Passwords are
    /// seldom chosen, so the list is read here (10 ms for a hundred thousand lines) and not kept;
    /// throws ConfigError when the file has gone.
    Sentence error_in(std::string_view password, std::string_view email,
                      std::string_view name) const;

private:
    std::string list_;
    std::vector<std::string> service_; ///< the service's names, letters only
};

} // namespace usershell
