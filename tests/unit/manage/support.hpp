#pragma once

#include "store/users/sessions.hpp"

#include <string>

namespace usershell::test {

/// Somebody who is signed in.
store::Caller someone();

bool holds(const std::string& text, const std::string& part);

} // namespace usershell::test
