// Shared by the programs' mains: settings from file and command line, --help, --version,
// --dump-config, --check-config, and the one sentence on standard error when the start fails.
#pragma once

#include "domain/settings/config.hpp"

#include <functional>
#include <string>

namespace usershell::program {

/// Reads the command line and calls `run` with signals blocked and libsodium started. When it asks
/// for a check, `run` loads all that the program needs, as for serving, and returns 0. Returns the
/// process's exit status: run's; 1 when it throws; 2 for unusable settings.
int run_program(Program program, int argc, char** argv,
                const std::function<int(const CommandLine&)>& run);

} // namespace usershell::program
