// The programs of the service, as the table of settings tells them apart: each reads a file of its
// own and refuses what belongs to another, so that no file holds a secret for nothing.
#pragma once

#include <array>
#include <string_view>

namespace usershell {

/// A bit each, so that a row of the table can name several.
enum class Program : unsigned { manage = 1, execute = 2, mail = 4, ctl = 8 };

inline constexpr std::array all_programs{Program::manage, Program::execute, Program::mail,
                                         Program::ctl};

/// As it is started: "usershell-manage".
constexpr std::string_view name_of(Program program) {
    switch (program) {
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
