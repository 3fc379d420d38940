// Asking the operator.
#pragma once

#include "crypto/secret.hpp"

#include <string>

namespace usershell::ctl {

/// On a terminal: asks with `prompt`, twice, without echo, and throws std::runtime_error when the
/// two differ. Elsewhere: the first line of standard input.
crypto::Secret read_new_password(const std::string& prompt);

/// What is to be done has been printed: may it be? True with `sure` (--yes); on a terminal, asks.
/// Throws UsageError where nobody can be asked.
bool may_go_on(bool sure);

} // namespace usershell::ctl
