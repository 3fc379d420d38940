#include "ctl/check/inspection.hpp"
#include "domain/settings/setting_table.hpp"
#include "store/database/conninfo.hpp"

#include <algorithm>
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
        return "sed -i 's|^\\(database *=.*\\)dbname=[^ ]*|\\1dbname=" + value + "|' " + file;
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

} // namespace usershell::ctl
