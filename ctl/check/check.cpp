#include "ctl/check/inspection.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"

#include <algorithm>
#include <array>

namespace usershell::ctl {

namespace {

struct Check {
    std::string_view subject;
    void (*run)(Inspection&, Findings&);
    std::string_view remedy; ///< when it can't be looked at
};

constexpr std::array checks{
    Check{"settings", &check_settings, "See usershellctl(1) for where the files stand."},
    Check{"files", &check_files, "Install the package again."},
    Check{"rings", &check_rings, "Put the files of the rings back from your copy."},
    Check{"database", &check_database, "Run usershellctl init."},
    Check{"people", &check_people, "Run usershellctl init."},
    Check{"sockets", &check_sockets, "Run systemctl start usershell.target."},
    Check{"units", &check_units, "Run systemctl status 'usershell*'."},
    Check{"address", &check_address, "Install the package curl."},
    Check{"mail", &check_mail, "Install the package curl."},
    Check{"clock", &check_clock, "Run timedatectl set-ntp true."},
    Check{"disk", &check_disk, "Run df."},
};

void run(const Check& check, Inspection& inspection, Findings& findings) {
    try {
        check.run(inspection, findings);
    } catch (const std::exception& error) {
        findings.fault(error.what(), std::string{check.remedy});
    }
}

std::string_view word_for(Verdict verdict) {
    if (verdict == Verdict::good) return "ok";
    return verdict == Verdict::fault ? "FAULT" : "skipped";
}

} // namespace

void check(const Settings& settings, Arguments& arguments) {
    Table table{arguments, {{"verdict"}, {"subject"}, {"what"}, {"remedy"}}};
    Inspection inspection{settings,
                          arguments.option("settings").value_or("/etc/usershell"),
                          arguments.option("sockets").value_or("/run/usershell"),
                          arguments.option("authority").value_or(""),
                          {}};
    arguments.finish();
    std::ptrdiff_t faults = 0;
    for (const Check& each : checks) {
        Findings findings;
        run(each, inspection, findings);
        for (const Finding& finding : findings.all())
            table.add({std::string{word_for(finding.verdict)}, std::string{each.subject},
                       finding.what, cell_unless_empty(finding.remedy)});
        faults += std::ranges::count(findings.all(), Verdict::fault, &Finding::verdict);
    }
    table.print();
    if (faults != 0)
        throw Error{faults == 1 ? "There is a fault."
                                : "There are " + std::to_string(faults) + " faults."};
}

} // namespace usershell::ctl
