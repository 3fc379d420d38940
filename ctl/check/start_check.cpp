// Would each program start with the files of now? It is asked itself (--check-config), in the
// sandbox that its unit's files describe.
#include "base/ascii.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"
#include "domain/settings/setting_table.hpp"

#include <algorithm>
#include <filesystem>
#include <list>

#include <unistd.h>

namespace usershell::ctl {

namespace fs = std::filesystem;

namespace {

const std::string asked = "--check-config";

/// Rings' public files, authorities, lists: nothing in them is secret.
std::string public_files_of(Program program, const Inspection& inspection) {
    std::string files = inspection.settings.rings + "/*.public";
    const Settings* const settings = inspection.settings_of(program);
    for (const auto& row : setting_rows())
        if (settings != nullptr && row.read_by(program) && row.placeholder == "FILE" &&
            !row.name.ends_with("-secret"))
            for (const auto& file : values_of(row, *settings)) files += " " + file;
    return files;
}

/// What a program has said: "usershell-auth: SENTENCE [KIND]".
void add_refusal(Program program, const std::string& line, const std::string& how,
                 const Inspection& inspection, Findings& findings) {
    const auto kind = line.rfind(" [");
    const auto begin = std::min(line.find(": ") + 2, line.size());
    const bool is_ours = kind != std::string::npos && line.starts_with(name_of(program));
    const std::string sentence = is_ours ? line.substr(begin, kind - begin) : line;
    const auto remedy =
        is_ours ? remedy_named(std::string_view{line}.substr(kind + 2, line.size() - kind - 3))
                : Remedy::reinstall;
    findings.fault(std::string{name_of(program)} + " does not start " + how + ": " + sentence,
                   words_for(remedy, "journalctl -u " + unit_of(program) + " -n 50",
                             {program, inspection.folder, inspection.settings.rings,
                              public_files_of(program, inspection)}));
}

/// systemd's own statuses of what it could not do before the program (systemd.exec(5)).
struct ExecStep {
    std::string_view status;
    std::string_view sentence;
    std::string_view remedy;
};
constexpr std::array exec_steps{
    ExecStep{"203", "its program can't be run", "apt install --reinstall ./usershell_*.deb"},
    ExecStep{"216", "its group is missing", "systemd-sysusers"},
    ExecStep{"217", "its user is missing", "systemd-sysusers"},
    ExecStep{"243", "a file of LoadCredential= can't be read",
             "Put the files of /etc/usershell/rings back from your copy."},
};

void add_step(Program program, const Unit& unit, Findings& findings) {
    const auto* const step =
        std::ranges::find(exec_steps, unit["ExecMainStatus"], &ExecStep::status);
    const bool is_known = step != exec_steps.end();
    const std::string why =
        is_known ? std::string{step->sentence}
                 : "systemd says " + unit["Result"] + ", status " + unit["ExecMainStatus"];
    findings.fault(std::string{name_of(program)} + " does not start in its unit: " + why + ".",
                   is_known ? std::string{step->remedy}
                            : "systemd-analyze verify " + unit_of(program));
}

/// A program's unit, which asks in place of serving.
struct Asking {
    Asking(Program which, const std::string& text, std::string file)
        : program{which},
          unit{"check-" + std::to_string(getpid()) + "-" + std::string{name_of(which)} + ".service",
               text},
          said{std::move(file)} {}

    Program program;
    TemporaryUnit unit;
    std::string said; ///< file of its standard error
};

std::string asking_unit(const std::string& text, const std::string& said) {
    std::string lines = "[Service]\n";
    for_each_piece(service_lines(text), '\n', [&lines](std::string_view line) {
        const bool starts = line.starts_with("ExecStart=") && line != "ExecStart=";
        lines += std::string{line} + (starts ? " " + asked : "") + "\n";
    });
    return lines +
           "Type=oneshot\nRestart=no\nWatchdogSec=0\nTimeoutStartSec=5\nStandardOutput=null\n"
           "StandardError=truncate:" +
           said + "\n";
}

/// False: systemd has no unit of it.
bool prepare(Program program, const std::string& folder, std::list<Asking>& asking) {
    const auto files = run_child({{"systemctl", "cat", "--no-pager", unit_of(program)}, {}, {}});
    if (files.output.find("[Service]") == std::string::npos) return false;
    const std::string said = folder + "/" + short_name(program);
    asking.emplace_back(program, asking_unit(files.output, said), said);
    return true;
}

void ask_in_units(const std::list<Asking>& asking, const Inspection& inspection,
                  Findings& findings) {
    std::vector<std::string> names;
    for (const Asking& each : asking) names.push_back(each.unit.name());
    std::vector<std::string> start{"systemctl", "start", "--job-mode=ignore-dependencies"};
    start.insert(start.end(), names.begin(), names.end());
    run_child({start, {}, {}});
    const Units units = show_units(names, "Result,ExecMainStatus,LoadState");
    for (const Asking& each : asking) {
        const auto unit = units.find(each.unit.name());
        if (unit == units.end()) continue;
        const std::string said = text_of(each.said);
        if (unit->second["Result"] == "success" && unit->second["LoadState"] == "loaded")
            findings.good(std::string{name_of(each.program)} + " would start, in its unit.");
        else if (said.empty())
            add_step(each.program, unit->second, findings);
        else
            add_refusal(each.program, said.substr(0, said.find('\n')), "in its unit", inspection,
                        findings);
    }
}

/// Where there are no units: as we are.
void ask_alone(Program program, const Inspection& inspection, Findings& findings) {
    const std::string name{name_of(program)};
    const fs::path beside = fs::read_symlink("/proc/self/exe").parent_path() / name;
    std::vector<std::string> words{
        fs::exists(beside) ? beside.string() : "/usr/lib/usershell/" + name, "--config",
        inspection.folder + "/" + short_name(program) + ".conf", asked};
    const Settings* const settings = inspection.settings_of(program);
    for (const auto& row : setting_rows()) { // those that a unit gives
        const bool is_ring = row.name.ends_with("-secret") || row.name.ends_with("-public");
        if (settings == nullptr || !row.read_by(program) || !is_ring || row.name == "mail-public" ||
            !values_of(row, *settings).empty())
            continue;
        std::string file{row.name};
        std::ranges::replace(file, '-', '.');
        words.push_back("--" + std::string{row.name} + "=" + inspection.settings.rings + "/" +
                        file);
    }
    const auto answer = run_child({std::move(words), {}, {}});
    if (answer.status == 0)
        findings.good(name + " would start, without its unit.");
    else
        add_refusal(program, answer.errors.substr(0, answer.errors.find('\n')), "without its unit",
                    inspection, findings);
}

} // namespace

void check_start(Inspection& inspection, Findings& findings) {
    std::string folder = "/run/usershellctl.XXXXXX";
    const bool has_folder = mkdtemp(folder.data()) != nullptr;
    std::list<Asking> asking;
    for (const Program program : all_programs) {
        const Settings* const settings = inspection.settings_of(program);
        const bool is_off =
            settings == nullptr || (program == Program::mail && settings->smtp_url.empty());
        if (program == Program::ctl || is_off) continue; // or is said already
        if (!has_folder || !prepare(program, folder, asking))
            ask_alone(program, inspection, findings);
    }
    if (!asking.empty()) ask_in_units(asking, inspection, findings);
    std::error_code ignored;
    if (has_folder) fs::remove_all(folder, ignored);
}

} // namespace usershell::ctl
