// The programs of the service. Each reads a settings file of its own and refuses settings of the
// others, so that no file holds a secret without need.
#pragma once

#include <array>
#include <string_view>

namespace usershell {

/// A bit each, so that a row of the table can name several.
enum class Program : unsigned { auth = 1, manage = 2, execute = 4, mail = 8, ctl = 16 };

inline constexpr std::array all_programs{Program::auth, Program::manage, Program::execute,
                                         Program::mail, Program::ctl};

/// As it is started: "usershell-manage".
constexpr std::string_view name_of(Program program) {
    switch (program) {
    case Program::auth:
        return "usershell-auth";
    case Program::manage:
        return "usershell-manage";
    case Program::execute:
        return "usershell-execute";
    case Program::mail:
        return "usershell-mail";
    case Program::ctl:
        return "usershellctl";
    }
    return {};
}

} // namespace usershell
