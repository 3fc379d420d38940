// A file of settings; the first byte chooses the program. A dump is read again as the same.
#include "base/settings/config.hpp"
#include "target.hpp"

#include <array>
#include <sstream>

namespace {

using namespace usershell;

std::optional<std::string> dumped(Program program, std::string_view text) {
    const fuzz::MemoryFile file{text};
    const auto path = file.path();
    const std::array<const char*, 3> words{"program", "--config", path.c_str()};
    std::ostringstream out;
    if (!fuzz::accepts(
            [&] { dump_settings(out, program, read_settings(program, 3, words.data()).settings); }))
        return std::nullopt;
    return out.str();
}

void run(std::string_view input) {
    fuzz::Input from{input};
    const auto program = all_programs.at(from.byte() % all_programs.size());
    const auto first = dumped(program, from.rest());
    if (first) fuzz::require(dumped(program, *first) == first, "settings in force are canonical");
}

const fuzz::Target target{"settings", run, std::size_t{64} * 1024, std::size_t{1024} * 1024};

} // namespace
