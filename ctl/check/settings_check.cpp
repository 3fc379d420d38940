#include "ctl/check/inspection.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

Settings read(Program program, const std::string& path) {
    const std::array<const char*, 3> words{name_of(program).data(), "--config", path.c_str()};
    return read_settings(program, static_cast<int>(words.size()), words.data()).settings;
}

/// Write access to a settings file could send keys elsewhere; read access shows its passwords.
void check_access(const std::string& path, const Settings& settings, Findings& findings) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return;
    const bool has_secret = !settings.smtp_password.empty();
    if (status.st_uid != 0 && status.st_uid != geteuid())
        findings.fault(path + " belongs to another user than root.", "chown root " + path);
    if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        findings.fault("Others than its owner may write " + path + ".", "chmod go-w " + path);
    if (has_secret && (status.st_mode & S_IROTH) != 0)
        findings.fault("Everybody may read the password in " + path + ".", "chmod o-r " + path);
}

void check_addresses(const Inspection& inspection, Findings& findings) {
    std::string known;
    for (const auto& [program, settings] : inspection.programs) {
        if (program == Program::mail) continue;
        const std::string who{name_of(program)};
        if (settings.base_url.empty())
            findings.fault("The setting base-url of " + who + " is empty.",
                           "Write the address of the service into its file.");
        else if (!settings.base_url.starts_with("https://"))
            findings.fault("The base-url of " + who + " is not https.",
                           "Browsers send the service's cookies over https alone: change it.");
        else if (!known.empty() && known != settings.base_url)
            findings.fault("The programs have different base-urls.",
                           "Write the same one into all files.");
        known = settings.base_url;
    }
}

void check_templates(const std::string& who, const std::string& folder, Findings& findings) {
    findings.judge(std::filesystem::exists(folder + "/layout.tpl"),
                   "The templates of " + who + " are there.",
                   "There are no templates for " + who + " in " + folder + ".",
                   "Install the package again, or mend the setting templates.");
}

} // namespace

void check_settings(Inspection& inspection, Findings& findings) {
    for (const Program program : all_programs) {
        if (program == Program::ctl) continue; // has read its own
        const std::string path = inspection.folder + "/" + short_name(program) + ".conf";
        try {
            const auto& settings =
                inspection.programs.emplace(program, read(program, path)).first->second;
            findings.good(path + " is understood.");
            check_access(path, settings, findings);
        } catch (const ConfigError& error) {
            findings.fault(error.what(), "Mend it; " + std::string{name_of(program)} +
                                             " does not start with it.");
        }
    }
    check_addresses(inspection, findings);
}

void check_files(Inspection& inspection, Findings& findings) {
    for (const Program program : {Program::auth, Program::manage}) {
        const auto found = inspection.programs.find(program);
        if (found != inspection.programs.end())
            check_templates(std::string{name_of(program)}, found->second.templates, findings);
    }
    const auto auth = inspection.programs.find(Program::auth);
    if (auth == inspection.programs.end()) return;
    const std::string& list = auth->second.common_passwords;
    findings.judge(std::ifstream{list}.good(), "The list of common passwords is there.",
                   "The list of common passwords " + list + " can't be read.",
                   "Install the package again, or mend the setting common-passwords.");
}

} // namespace usershell::ctl
