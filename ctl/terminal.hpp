// Asking the operator for what must not be seen.
#pragma once

#include "crypto/secret.hpp"

#include <string>

namespace usershell::ctl {

/// On a terminal: asks with `prompt`, twice, without echo, and throws std::runtime_error when the
/// two differ. Elsewhere: the first line of standard input.
crypto::Secret read_new_password(const std::string& prompt);

} // namespace usershell::ctl
