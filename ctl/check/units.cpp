#include "ctl/check/units.hpp"

#include "base/ascii.hpp"
#include "ctl/system/child.hpp"

#include <algorithm>
#include <array>

namespace usershell::ctl {

namespace {

struct Property {
    std::string_view name;
    std::string Unit::*member;
};
constexpr std::array properties{
    Property{"LoadState", &Unit::load},    Property{"ActiveState", &Unit::active},
    Property{"SubState", &Unit::sub},      Property{"NRestarts", &Unit::restarts},
    Property{"LimitNOFILE", &Unit::files}, Property{"IPAddressAllow", &Unit::allow}};

/// The last that says why, which systemd's own summary does not.
std::string_view last_reason(std::string_view text) {
    std::string_view last;
    for_each_piece(text, '\n', [&last](std::string_view line) {
        if (!line.empty() && !line.starts_with("Failed to start ")) last = line;
    });
    return last;
}

} // namespace

std::map<std::string, Unit> units() {
    // A pattern finds the units that systemd has in memory only; sockets may have been forgotten.
    const auto shown = run_child(
        {{"systemctl", "show",
          "--property=Id,LoadState,ActiveState,SubState,NRestarts,LimitNOFILE,IPAddressAllow",
          "usershell-*", "usershell-auth.socket", "usershell-manage.socket",
          "usershell-execute.socket", "usershell-mail.service", "nginx.service"},
         {},
         {}});
    std::map<std::string, Unit> found;
    if (shown.status != 0) return found;
    Unit unit;
    std::string id;
    // An empty line ends a unit.
    for_each_piece(shown.output + "\n\n", '\n', [&](std::string_view line) {
        if (line.empty()) {
            if (!id.empty()) found[id] = unit;
            unit = {};
            id.clear();
            return;
        }
        const auto name = line.substr(0, line.find('='));
        const std::string value{line.substr(std::min(name.size() + 1, line.size()))};
        if (name == "Id") id = value;
        for (const auto& [property, member] : properties)
            if (name == property) unit.*member = value;
    });
    return found;
}

std::string last_failure(const std::string& unit) {
    const auto said = run_child({{"journalctl", "--unit", unit, "--priority=err", "--since=-10min",
                                  "--output=cat", "--no-pager"},
                                 {},
                                 {}});
    const auto line = last_reason(said.output);
    constexpr std::string_view error = "error=\"";
    const auto at = line.find(error);
    if (at == std::string_view::npos) return std::string{line};
    const auto from = at + error.size();
    std::string sentence{line.substr(from, line.rfind('"') - from)};
    std::erase(sentence, '\\'); // before a quotation mark
    return sentence;
}

} // namespace usershell::ctl
