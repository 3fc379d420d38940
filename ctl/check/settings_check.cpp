#include "base/ascii.hpp"
#include "base/text.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"
#include "domain/settings/setting_table.hpp"
#include "store/database/conninfo.hpp"

#include <algorithm>
#include <filesystem>
#include <list>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

Settings settings_in(Program program, const std::string& path) {
    const std::array<const char*, 3> words{name_of(program).data(), "--config", path.c_str()};
    return read_settings(program, static_cast<int>(words.size()), words.data()).settings;
}

std::string file_of(const Inspection& inspection, Program program) {
    return inspection.folder + "/" + short_name(program) + ".conf";
}

std::string edit(const Inspection& inspection, Program program) {
    return "editor " + file_of(inspection, program);
}

/// Write access to a settings file could send keys elsewhere; read access shows its passwords.
void check_access(const std::string& path, const Settings& settings, Findings& findings) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return;
    const auto in_database = [&settings](const char* keyword) {
        return !store::keyword(settings.database, keyword).empty();
    };
    const bool has_secret =
        !settings.smtp_password.empty() || in_database("password") || in_database("sslpassword");
    if (status.st_uid != 0 && status.st_uid != geteuid())
        findings.fault(path + " belongs to another user than root.", "chown root " + path);
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        findings.fault("Others than its owner may write " + path + ".", "chmod go-w " + path);
    if (has_secret && (status.st_mode & S_IROTH) != 0)
        findings.fault("Everybody may read the password in " + path + ".", "chmod o-r " + path);
}

void check_addresses(const Inspection& inspection, Findings& findings) {
    for (const auto& [program, settings] : inspection.programs) {
        if (program == Program::mail || program == Program::opener) continue; // read none
        const std::string who{name_of(program)};
        if (settings.base_url.empty())
            findings.fault("The setting base-url of " + who + " is empty.",
                           edit(inspection, program) + ": write the address of the service");
        else if (!settings.base_url.starts_with("https://"))
            findings.fault("The base-url of " + who +
                               " is not https, over which alone browsers send cookies.",
                           "sed -i 's|^base-url *= *http:|base-url = https:|' " +
                               file_of(inspection, program));
    }
}

// Settings that several programs read from files of their own ---------------------------------

using ValueReaders = std::map<std::string, std::vector<Program>>; ///< by the value that they read

/// Those of usershellctl may be empty: it then does not need them.
ValueReaders readers_of(const SettingRow& row, const Inspection& inspection) {
    ValueReaders readers;
    const auto add = [&](Program program, const Settings& settings) {
        if (!row.read_by(program)) return;
        auto values = values_of(row, settings);
        std::ranges::sort(values);
        std::string all;
        for (const auto& value : values) all += (all.empty() ? "" : " ") + value;
        if (row.name == "database") all = store::keyword(all, "dbname");
        if (program != Program::ctl || !all.empty()) readers[all].push_back(program);
    };
    for (const auto& [program, settings] : inspection.programs) add(program, settings);
    add(Program::ctl, inspection.settings);
    return readers;
}

/// The value of most; null when there is none.
const std::string* usual_of(const ValueReaders& readers) {
    const auto more = [](const auto& a, const auto& b) {
        return a.second.size() < b.second.size();
    };
    const auto most = std::ranges::max_element(readers, more);
    const auto as_many = [&](const auto& each) {
        return each.second.size() == most->second.size();
    };
    return std::ranges::count_if(readers, as_many) == 1 ? &most->first : nullptr;
}

/// The command that gives a file that value.
std::string set(const SettingRow& row, const std::string& value, const std::string& file) {
    const std::string name{row.name};
    if (row.name == "database")
        return R"(sed -i 's|^\(database *=.*\)dbname=[^ ]*|\1dbname=)" + value + "|' " + file;
    return "sed -i '/^" + name + " *=/d' " + file + " && echo '" + name + " = " + value + "' >> " +
           file;
}

void check_row(const SettingRow& row, const Inspection& inspection, Findings& findings) {
    const ValueReaders readers = readers_of(row, inspection);
    if (readers.size() < 2) return;
    const std::string* const usual = usual_of(readers);
    std::string remedy = "editor";
    std::string others, commands;
    for (const auto& [value, programs] : readers)
        for (const Program program : programs) {
            remedy += " " + file_of(inspection, program);
            if (usual == nullptr || value == *usual) continue;
            others += (others.empty() ? "" : ", ") + std::string{name_of(program)};
            commands +=
                (commands.empty() ? "" : "; ") + set(row, *usual, file_of(inspection, program));
        }
    const bool is_list = row.repeatable();
    findings.fault("The programs have different settings " + std::string{row.name} +
                       (others.empty() ? "" : ": another has " + others) + ".",
                   usual == nullptr || is_list ? remedy + ": write the same" : commands);
    if (row.name == "database") findings.hide_what_follows(); // whose would be looked at?
}

constexpr std::array<std::string_view, 7> shared{
    "base-url",   "database", "egress-allow", "api", "provider-cookies", "hold-keys-on-change",
    "mail-public"};

} // namespace

void check_settings(Inspection& inspection, Findings& findings) {
    check_access(inspection.folder + "/ctl.conf", inspection.settings, findings);
    for (const Program program : all_programs) {
        if (program == Program::ctl) continue; // has read its own
        const std::string path = inspection.folder + "/" + short_name(program) + ".conf";
        try {
            const auto& settings =
                inspection.programs.emplace(program, settings_in(program, path)).first->second;
            findings.good(path + " is understood.");
            check_access(path, settings, findings);
        } catch (const Error& error) { // of the setting `database`, too
            findings.fault(error.what(), words_for(error.remedy(), edit(inspection, program),
                                                   {program, inspection.folder}));
        }
    }
    check_addresses(inspection, findings);
    for (const std::string_view name : shared) check_row(*find_setting(name), inspection, findings);
}

namespace fs = std::filesystem;

// Would each program start with the files of now? It is asked itself (--check-config), in the
// sandbox that its unit's files describe.

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

/// The program's answer: "usershell-auth: SENTENCE [KIND]".
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
        if (program == Program::ctl || is_off) continue; // or has a finding already
        if (!has_folder || !prepare(program, folder, asking))
            ask_alone(program, inspection, findings);
    }
    if (!asking.empty()) ask_in_units(asking, inspection, findings);
    std::error_code ignored;
    if (has_folder) fs::remove_all(folder, ignored);
}

} // namespace usershell::ctl
