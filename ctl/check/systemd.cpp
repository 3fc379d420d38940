#include "ctl/check/inspection.hpp"

#include "base/ascii.hpp"
#include "ctl/system/child.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace usershell::ctl {

const std::string& Unit::operator[](std::string_view name) const {
    static const std::string unset;
    const auto found = properties.find(name);
    return found == properties.end() ? unset : found->second;
}

Units show_units(const std::vector<std::string>& names, const std::string& properties) {
    std::vector<std::string> words{"systemctl", "show", "--timestamp=unix",
                                   "--property=Id," + properties};
    words.insert(words.end(), names.begin(), names.end());
    const auto shown = run_child({std::move(words), {}, {}});
    Units found;
    if (shown.status != 0) return found;
    Unit unit;
    // An empty line ends a unit.
    for_each_piece(shown.output + "\n\n", '\n', [&](std::string_view line) {
        if (line.empty()) {
            if (!unit["Id"].empty()) found[unit["Id"]] = unit;
            unit = {};
            return;
        }
        const auto name = line.substr(0, line.find('='));
        const auto value = line.substr(std::min(name.size() + 1, line.size()));
        std::string& all = unit.properties[std::string{name}];
        all += (all.empty() ? "" : " ") + std::string{value}; // a list may stand on several lines
    });
    return found;
}

std::string service_lines(std::string_view text) {
    constexpr std::array others{"Sockets=", "ExecStartPre=", "ExecStartPost=", "ExecStop"};
    std::string joined{text};
    for (auto at = joined.find("\\\n"); at != std::string::npos; at = joined.find("\\\n", at))
        joined.replace(at, 2, " ");
    std::string lines;
    bool of_service = false;
    for_each_piece(joined, '\n', [&](std::string_view line) {
        if (line.starts_with('[')) of_service = line.starts_with("[Service]");
        const auto begins = [line](const char* word) { return line.starts_with(word); };
        if (!of_service || line.starts_with('[') || line.starts_with('#') ||
            std::ranges::any_of(others, begins))
            return;
        lines += std::string{line} + "\n";
    });
    return lines;
}

std::string restart_command(const std::string& unit) {
    const auto socket = unit.rfind(".socket");
    if (socket == std::string::npos) return "systemctl restart " + unit;
    const std::string pool = unit.substr(0, socket) + ".service";
    return "systemctl stop " + pool + " && systemctl restart " + unit + " && systemctl start " +
           pool;
}

std::string text_of(const std::string& file) {
    std::ostringstream text;
    text << std::ifstream{file}.rdbuf();
    return text.str();
}

TemporaryUnit::TemporaryUnit(std::string name, const std::string& text)
    : name_{std::move(name)},
      path_{"/run/systemd/system/" + name_} {
    std::ofstream{path_} << text;
}

TemporaryUnit::~TemporaryUnit() {
    unlink(path_.c_str());
    run_child({{"systemctl", "reset-failed", name_}, {}, {}});
}

} // namespace usershell::ctl
