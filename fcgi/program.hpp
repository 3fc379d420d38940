// What the two workers' mains share: settings from file and command line, --help, --version,
// --dump-config, and the one sentence on standard error when the start fails.
#pragma once

#include "base/settings/config.hpp"

#include <functional>
#include <string>

namespace usershell::fcgi {

/// Returns the process's exit status: 0; 1 when the start failed or the worker did; 2 for unusable
/// settings.
int run_program(const std::string& name, int argc, char** argv,
                const std::function<int(const Settings&)>& run);

} // namespace usershell::fcgi
