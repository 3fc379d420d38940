// Which build of the program this is.
#pragma once

#include <string>

namespace usershell {

/// The linker's build id (--build-id, a note in the program file) in hex: the same for programs
/// built of the same sources alike, another for any other. Throws std::logic_error when the program
/// was linked without. Any thread.
const std::string& build_id();

} // namespace usershell
