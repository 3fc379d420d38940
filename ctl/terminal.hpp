// Questions to the operator.
#pragma once

#include "crypto/secret.hpp"

#include <string>

namespace usershell::ctl {

/// On a terminal: asks with `prompt`, twice, without echo, and throws std::runtime_error when the
/// two differ. Elsewhere: the first line of standard input.
crypto::Secret read_new_password(const std::string& prompt);

/// Asks whether to go on, after the caller has printed what it is about to do. True without asking
/// when `sure` (--yes). Throws UsageError when standard input is no terminal.
bool may_go_on(bool sure);

} // namespace usershell::ctl
