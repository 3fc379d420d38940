#include "ctl/check/inspection.hpp"
#include "pages/templates.hpp"
#include "store/database/conninfo.hpp"

#include <fstream>
#include <set>

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
    std::string known =
        inspection.settings.base_url; // usershellctl's, of invitations; may be empty
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
                           "Write the same one into auth.conf, manage.conf, execute.conf and "
                           "ctl.conf.");
        known = settings.base_url;
    }
}

/// These two read what providers they may call, each from its own file.
void check_egress(const Inspection& inspection, Findings& findings) {
    const Settings* const manage = inspection.settings_of(Program::manage);
    const Settings* const execute = inspection.settings_of(Program::execute);
    if (manage == nullptr || execute == nullptr) return;
    const auto rows = [](const Settings& settings) {
        return std::set<std::string>{settings.egress_allow.begin(), settings.egress_allow.end()};
    };
    if (rows(*manage) != rows(*execute))
        findings.fault(
            "The settings egress-allow of usershell-manage and usershell-execute differ.",
            "Write the same lines into manage.conf and execute.conf.");
}

} // namespace

void check_settings(Inspection& inspection, Findings& findings) {
    check_access(inspection.folder + "/ctl.conf", inspection.settings, findings);
    for (const Program program : all_programs) {
        if (program == Program::ctl) continue; // has read its own
        const std::string path = inspection.folder + "/" + short_name(program) + ".conf";
        try {
            const auto& settings =
                inspection.programs.emplace(program, read(program, path)).first->second;
            findings.good(path + " is understood.");
            check_access(path, settings, findings);
        } catch (const Error& error) { // of the setting `database`, too
            findings.fault(error.what(), "Mend it; " + std::string{name_of(program)} +
                                             " does not start with it.");
        }
    }
    check_addresses(inspection, findings);
    check_egress(inspection, findings);
}

void check_files(Inspection& inspection, Findings& findings) {
    const std::string again = "Install the package again, or mend the setting ";
    for (const Program program : {Program::auth, Program::manage}) {
        const Settings* const settings = inspection.settings_of(program);
        if (settings == nullptr) continue;
        try {
            pages::load_pages(settings->templates, settings->catalogue_base_url);
            findings.good("The templates of " + std::string{name_of(program)} + " are whole.");
        } catch (const Error& error) {
            findings.fault("usershell-" + short_name(program) + " does not start: " + error.what() +
                               ".",
                           again + "templates.");
        }
    }
    const Settings* const auth = inspection.settings_of(Program::auth);
    if (auth == nullptr) return;
    const std::string& list = auth->common_passwords;
    findings.check(std::ifstream{list}.good(), "The list of common passwords is there.",
                   "The list of common passwords " + list + " can't be read.",
                   again + "common-passwords.");
}

} // namespace usershell::ctl
