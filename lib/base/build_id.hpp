// Which build of the program this is.
#pragma once

#include <string>

namespace usershell {

/// The linker's build id (--build-id, a note in the program file) in hexadecimal: identical builds
/// have the same id, any other build has another. Throws Error when the program was
/// linked without one. Any thread.
const std::string& build_id();

} // namespace usershell
