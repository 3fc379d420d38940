#include "base/ascii.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/rings/rings.hpp"
#include "ctl/system/child.hpp"
#include "store/installation.hpp"

#include <algorithm>
#include <array>

#include <sys/utsname.h>

namespace usershell::ctl {

namespace {

struct Property {
    std::string_view name;
    std::string Unit::*member;
};
constexpr std::array properties{
    Property{"ActiveState", &Unit::active},   Property{"SubState", &Unit::sub},
    Property{"NRestarts", &Unit::restarts},   Property{"LimitNOFILE", &Unit::files},
    Property{"IPAddressAllow", &Unit::allow}, Property{"NoNewPrivileges", &Unit::confined},
};

/// The last that says why, which systemd's own summary does not.
std::string_view last_reason(std::string_view text) {
    std::string_view last;
    for_each_piece(text, '\n', [&last](std::string_view line) {
        if (!line.empty() && !line.starts_with("Failed to start ")) last = line;
    });
    return last;
}

/// Those of usershell and nginx, by name. Empty: systemd does not run here.
std::map<std::string, Unit> units() {
    // A pattern finds the units that systemd has in memory only; sockets may have been forgotten.
    const auto shown =
        run_child({{"systemctl", "show", "--property=Id,ActiveState,SubState,NRestarts,LimitNOFILE",
                    "--property=IPAddressAllow,NoNewPrivileges", "usershell-*",
                    "usershell-auth.socket", "usershell-manage.socket", "usershell-execute.socket",
                    "usershell-opener.socket", "usershell-mail.service", "nginx.service",
                    "usershell.target", "usershell-addresses.timer"},
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

struct Failure {
    std::string sentence; ///< empty: there is none of late
    Remedy remedy = Remedy::unknown;
};

/// The value of that field of a line of ours; empty: it has none.
std::string field_of(std::string_view line, std::string_view name) {
    const auto at = line.find(std::string{name} + "=\"");
    if (at == std::string_view::npos) return {};
    line.remove_prefix(at + name.size() + 2);
    std::string value;
    for (std::size_t i = 0; i < line.size() && line[i] != '"'; ++i) {
        if (line[i] == '\\' && i + 1 < line.size()) ++i; // before a quotation mark
        value += line[i];
    }
    return value;
}

/// Of a line that systemd writes when it can't begin a program.
Remedy remedy_of_systemd(std::string_view line) {
    if (line.starts_with("Failed to set up credentials")) return Remedy::restore_rings;
    const bool lacks_file = line.ends_with("No such file or directory");
    return lacks_file ? Remedy::reinstall : Remedy::unknown;
}

/// The last failure in the unit's journal.
Failure last_failure(const std::string& unit) {
    const auto said = run_child({{"journalctl", "--unit", unit, "--priority=err", "--since=-10min",
                                  "--output=cat", "--no-pager"},
                                 {},
                                 {}});
    const auto line = last_reason(said.output);
    const std::string error = field_of(line, "error");
    if (error.empty()) return {std::string{line}, remedy_of_systemd(line)};
    return {error, remedy_named(field_of(line, "remedy"))};
}

/// Nginx, or a unit of a pool: without it requests fail, and other subjects would only show that.
bool serves_requests(const std::string& name) {
    const auto is_of = [&name](Program pool) { return name.starts_with(name_of(pool)); };
    return name == "nginx.service" || std::ranges::any_of(servers, is_of);
}

/// Of those that a pool's processes and usershell-mail open, with room to spare.
constexpr unsigned long few_files = 1024;

void check_unit(const std::string& name, const Unit& unit, Findings& findings) {
    const std::string journal = name == "nginx.service"
                                    ? "nginx -t; ss -ltnp shows another program that has its port."
                                    : "journalctl -u " + name + " -n 50";
    const auto dead = [&](const std::string& state) {
        const auto [sentence, remedy] = last_failure(name);
        findings.fault(name + state + (sentence.empty() ? "." : ": " + sentence),
                       words_for(remedy, journal));
        if (serves_requests(name)) findings.hide_what_follows();
    };
    if (unit.active == "failed") return dead(" has failed");
    const bool starts_again = unit.active == "activating" && unit.restarts != "0";
    if (unit.sub.starts_with("auto-restart") || (starts_again && !unit.restarts.empty()))
        return dead(" ends at each start");
    if (!name.ends_with(".service") || unit.active != "active") return;
    if (name.starts_with("usershell-") && unit.confined == "no")
        findings.fault(name + " is not confined: usershell-.service.d is not read for it.",
                       words_for(Remedy::reinstall, journal));
    const auto files = parse_number<unsigned long>(unit.files);
    if (files && *files < few_files)
        findings.fault(name + " may open " + unit.files + " files only.",
                       "Remove LimitNOFILE= from its drop-in: systemctl cat " + name);
}

/// A pool was started, and none of its processes is there: its socket takes requests, and they
/// wait.
void check_pool(const std::string& pool, const std::map<std::string, Unit>& units,
                Findings& findings) {
    const auto service = units.find(pool + ".service");
    if (service == units.end() || service->second.active != "active") return;
    const auto is_process = [&pool](const auto& entry) {
        return entry.first.starts_with(pool + "@") && entry.second.active != "inactive";
    };
    if (std::ranges::any_of(units, is_process)) return;
    findings.fault("No process of " + pool + " runs: requests wait for ever.",
                   "systemctl unmask " + pool + "@1.service; systemctl start " + pool +
                       "@1.service");
    findings.hide_what_follows();
}

/// A rotation ends with reloads. Without them a program seals to a key that is not active any
/// more, or can't open what others seal.
void check_reloaded(Inspection& inspection, Findings& findings) {
    utsname machine{};
    uname(&machine);
    const auto own = rings_of_files(inspection.settings);
    for (const auto& found : store::list_machine_rings(*inspection.store)) {
        if (found.machine != machine.nodename ||
            inspection.units[found.program + ".service"].active != "active" ||
            crypto::is_fingerprint_of(found.fingerprint, own.at(found.ring)))
            continue;
        const char* const verb = found.program == "usershell-mail" ? "restart " : "reload ";
        findings.fault(found.program + " has another " + found.ring + " ring than the files.",
                       std::string{"systemctl "} + verb + found.program + ".service");
    }
}

} // namespace

void check_units(Inspection& inspection, Findings& findings) {
    inspection.units = units();
    if (inspection.units.empty()) {
        findings.skip("The units", "systemd does not run here");
        return;
    }
    std::vector<std::string> needed{"nginx.service"};
    for (const Program program : servers)
        needed.push_back(std::string{name_of(program)} + ".socket");
    const Settings* const mail = inspection.settings_of(Program::mail);
    if (mail != nullptr && !mail->smtp_url.empty()) needed.emplace_back("usershell-mail.service");
    // Without them the address lists grow stale, and the service is gone after a reboot.
    needed.insert(needed.end(), {"usershell.target", "usershell-addresses.timer"});
    for (const auto& [name, unit] : inspection.units) check_unit(name, unit, findings);
    for (const std::string& name : needed) {
        const Unit& unit = inspection.units[name];
        if (unit.active == "active") {
            findings.good(name + " is active.");
        } else if (unit.active == "inactive") {
            findings.fault(name + " is inactive.", "systemctl enable --now " + name);
            if (serves_requests(name)) findings.hide_what_follows();
        }
    }
    for (const Program program : servers)
        check_pool(std::string{name_of(program)}, inspection.units, findings);
    try {
        if (inspection.store) check_reloaded(inspection, findings);
    } catch (const crypto::RingError&) { // of a file: a fault of the subject "rings"
    }
}

} // namespace usershell::ctl
