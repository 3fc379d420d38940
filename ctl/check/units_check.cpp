#include "base/ascii.hpp"
#include "base/text.hpp"
#include "crypto/ring/files.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/rings/rings.hpp"
#include "ctl/system/child.hpp"
#include "store/installation.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include <sys/stat.h>
#include <sys/utsname.h>

namespace usershell::ctl {

namespace {

/// The last that says why, which systemd's own summary does not.
std::string_view last_reason(std::string_view text) {
    std::string_view last;
    for_each_piece(text, '\n', [&last](std::string_view line) {
        if (!line.empty() && !line.starts_with("Failed to start ")) last = line;
    });
    return last;
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

/// How systemd names an end that leaves no line of the program.
struct End {
    std::string_view result;
    std::string_view sentence;
};
constexpr std::array ends{
    End{"oom-kill", "it had no memory left (MemoryMax=, or the machine's)"},
    End{"signal", "a signal has ended it"},
    End{"core-dump", "it has crashed"},
    End{"watchdog", "it did not answer its watchdog"},
    End{"timeout", "it was not ready in time"},
};

/// In the journal of the unit's last start; an earlier one had another cause.
Failure last_failure(const Unit& unit) {
    const std::string& id = unit["InvocationID"];
    for (const auto& [result, sentence] : ends)
        if (unit["Result"] == result) return {std::string{sentence}, Remedy::unknown};
    if (id.empty()) return {};
    const auto said =
        run_child({{"journalctl", "_SYSTEMD_INVOCATION_ID=" + id, "+", "INVOCATION_ID=" + id,
                    "--priority=err", "--output=cat", "--no-pager"},
                   {},
                   {}});
    const auto line = last_reason(said.output);
    const std::string error = field_of(line, "error");
    if (error.empty()) return {std::string{line}, Remedy::unknown};
    return {error, remedy_named(field_of(line, "remedy"))};
}

/// The subject that can't be asked without the unit; empty: there is none.
std::string needed_for(const std::string& name) {
    if (name == "nginx.service") return "nginx";
    for (const Program pool : servers)
        if (name.starts_with(name_of(pool))) return std::string{name_of(pool)};
    return {};
}

/// Of those that a pool's processes and usershell-mail open, with room to spare.
constexpr unsigned long few_files = 1024;

void check_unit(const std::string& name, const Unit& unit, Inspection& inspection,
                Findings& findings) {
    const auto dead = [&](const std::string& state) {
        const auto [sentence, remedy] = last_failure(unit);
        findings.fault(
            name + state + (sentence.empty() ? "." : ": " + sentence),
            words_for(remedy, "journalctl -u " + name + " -n 50; " + restart_command(name)));
        inspection.broken.insert(needed_for(name));
    };
    if (unit["LoadState"] == "bad-setting" || unit["LoadState"] == "error")
        findings.fault("systemd does not take the files of " + name + ": it does not start again.",
                       "systemd-analyze verify " + name + "; systemctl edit " + name);
    else if (unit["NeedDaemonReload"] == "yes")
        findings.fault("The files of " + name + " have changed since systemd has read them.",
                       "systemctl daemon-reload");
    const std::string& state = unit["ActiveState"];
    if (state == "failed") return dead(" has failed");
    const bool starts_again =
        state == "activating" && !unit["NRestarts"].empty() && unit["NRestarts"] != "0";
    if (unit["SubState"].starts_with("auto-restart") || starts_again)
        return dead(" ends at each start");
    if (!name.ends_with(".service") || state != "active") return;
    const auto files = parse_number<unsigned long>(unit["LimitNOFILE"]);
    if (files && *files < few_files)
        findings.fault(name + " may open " + unit["LimitNOFILE"] + " files only.",
                       "systemctl edit " + name + ": remove LimitNOFILE=");
}

/// A pool was started, and none of its processes is there: its socket takes requests, and they
/// wait.
void check_pool(const std::string& pool, Inspection& inspection, Findings& findings) {
    const Units& units = inspection.units;
    const auto service = units.find(pool + ".service");
    if (service == units.end() || !service->second.is_active()) return;
    const auto is_process = [&pool](const auto& entry) {
        return entry.first.starts_with(pool + "@") && entry.second["ActiveState"] != "inactive";
    };
    if (std::ranges::any_of(units, is_process)) return;
    findings.fault("No process of " + pool + " runs: requests wait for ever.",
                   "systemctl unmask " + pool + "@1.service; systemctl start " + pool +
                       "@1.service");
    inspection.broken.insert(pool);
}

/// A file that has changed since its process began is in force after the next start only.
void check_age(Program program, const Inspection& inspection, Findings& findings) {
    constexpr std::chrono::seconds precision{2};
    const std::string name{name_of(program)};
    for (const auto& [unit_name, unit] : inspection.units) {
        const auto began =
            parse_number<long long>(trimmed(without(unit["ExecMainStartTimestamp"], '@')));
        if (!unit_name.starts_with(name + (program == Program::mail ? ".service" : "@")) ||
            !unit.is_active() || !began)
            continue;
        std::string files =
            inspection.folder + "/" + short_name(program) + ".conf /usr/lib/usershell/" + name;
        files += " " + unit["FragmentPath"] + " " + unit["DropInPaths"];
        std::string newer;
        for_each_piece(files, ' ', [&](std::string_view file) {
            struct stat status {};
            if (stat(std::string{file}.c_str(), &status) == 0 &&
                status.st_ctim.tv_sec > *began + precision.count())
                newer += " " + std::string{file};
        });
        if (newer.empty()) continue;
        const char* const verb = program == Program::mail ? "restart " : "reload ";
        findings.fault(unit_name + " is older than" + newer + ".",
                       std::string{"systemctl "} + verb + name + ".service");
    }
}

/// A rotation ends with reloads. Without them a program seals to a key that is not active any
/// more, or can't open what others seal.
void check_reloaded(Inspection& inspection, Findings& findings) {
    utsname machine{};
    uname(&machine);
    const auto own = rings_of_files(inspection.settings);
    long long others = 0;
    for (const auto& found : store::list_machine_rings(*inspection.store)) {
        if (crypto::is_fingerprint_of(found.fingerprint, own.at(found.ring))) continue;
        ++others;
        if (found.machine != machine.nodename ||
            !inspection.units[found.program + ".service"].is_active())
            continue;
        const char* const verb = found.program == "usershell-mail" ? "restart " : "reload ";
        findings.fault(found.program + " has another " + found.ring + " ring than the files.",
                       std::string{"systemctl "} + verb + found.program + ".service");
    }
    inspection.rings_that_differ = others;
}

} // namespace

/// Those of usershell and nginx. A pattern finds the units that systemd has in memory only; sockets
/// may have been forgotten.
Units own_units() {
    return show_units({"usershell-*", "usershell-auth.socket", "usershell-manage.socket",
                       "usershell-execute.socket", "usershell-opener.socket",
                       "usershell-mail.service", "nginx.service", "usershell.target",
                       "usershell-addresses.timer"},
                      "LoadState,ActiveState,SubState,UnitFileState,NRestarts,LimitNOFILE,"
                      "IPAddressAllow,InvocationID,Result,ExecMainStatus,NeedDaemonReload,MainPID,"
                      "ExecMainStartTimestamp,FragmentPath,DropInPaths,ControlGroup");
}

void check_units(Inspection& inspection, Findings& findings) {
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
    for (const auto& [name, unit] : inspection.units) check_unit(name, unit, inspection, findings);
    for (const std::string& name : needed) {
        const Unit& unit = inspection.units[name];
        const bool is_masked = unit["LoadState"] == "masked";
        if (unit["ActiveState"] == "inactive" || is_masked) {
            findings.fault(name + (is_masked ? " is masked." : " is inactive."),
                           (is_masked ? "systemctl unmask " + name + " && " : "") +
                               "systemctl enable " + name + " && " + restart_command(name));
            inspection.broken.insert(needed_for(name));
        } else if (unit["UnitFileState"] == "disabled") {
            findings.fault(name + " will be gone after a reboot.", "systemctl enable " + name);
        } else if (unit.is_active()) {
            findings.good(name + " is active.");
        }
    }
    for (const Program program : servers)
        check_pool(std::string{name_of(program)}, inspection, findings);
    for (const Program program : all_programs) check_age(program, inspection, findings);
    try {
        if (inspection.store) check_reloaded(inspection, findings);
    } catch (const crypto::RingError&) { // of a file: a fault of the subject "rings"
    }
}

} // namespace usershell::ctl
