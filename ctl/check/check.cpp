#include "base/ascii.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/command.hpp"
#include "ctl/table.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace usershell::ctl {

namespace {

struct Check {
    std::string_view subject;
    void (*run)(Inspection&, Findings&);
    /// A subject that comes before: its fault may show here as another one.
    std::string_view after = {};
};

// Causes before their effects.
constexpr std::array checks{
    Check{"settings", &check_settings},
    Check{"disk", &check_disk},
    Check{"server", &check_server, "settings"},
    Check{"database", &check_database, "server"},
    Check{"rings", &check_rings},
    Check{"people", &check_people, "database"},
    Check{"separation", &check_separation}, // before a restart puts it in force
    Check{"units", &check_units},
    Check{"start", &check_start},
    Check{"connections", &check_connections, "database"},
    Check{"sockets", &check_sockets},
    Check{"nginx", &check_nginx},
    Check{"network", &check_network},
    Check{"clock", &check_clock},
    Check{"mail", &check_mail},
    Check{"address", &check_address, "database"},
};

void run(const Check& check, Inspection& inspection, Findings& findings) {
    try {
        check.run(inspection, findings);
    } catch (const OutOfTime&) {
        findings.skip("The rest was not asked", "no time was left; --within gives more");
    } catch (const std::exception& error) {
        findings.fault(error.what(), words_for(remedy_of(error), "See usershellctl(1)."));
        findings.hide_what_follows();
    }
}

std::string_view word_for(Verdict verdict) {
    if (verdict == Verdict::good) return "ok";
    return verdict == Verdict::fault ? "FAULT" : "skipped";
}

std::chrono::seconds time_for(Arguments& arguments) {
    const auto within = arguments.option("within");
    if (!within) return std::chrono::seconds{10};
    const auto seconds = parse_number<unsigned>(*within);
    if (!seconds || *seconds == 0 || *seconds > 600)
        throw UsageError{"--within takes a number of seconds, 600 at most."};
    return std::chrono::seconds{*seconds};
}

} // namespace

std::string Inspection::time_left() const {
    constexpr std::chrono::seconds least{3}; // in less, a slow machine looks like a fault
    const std::chrono::duration<double> left = end - std::chrono::steady_clock::now();
    if (left < least) throw OutOfTime{};
    return std::to_string(std::max<std::chrono::duration<double>>(least, left / 2).count());
}

void check(const Settings& settings, Arguments& arguments) {
    Table table{arguments, {{"verdict"}, {"subject"}, {"what"}, {"remedy"}}};
    const auto metrics = arguments.option("metrics");
    Inspection inspection{settings,
                          arguments.option("settings").value_or("/etc/usershell"),
                          arguments.option("sockets").value_or("/run/usershell"),
                          arguments.option("authority").value_or(""),
                          {},
                          {},
                          {},
                          {},
                          std::chrono::steady_clock::now() + time_for(arguments),
                          {},
                          {}};
    arguments.finish();
    CheckedSubjects subjects;
    std::ptrdiff_t faults = 0;
    std::set<std::string_view> hiding; // subjects
    for (const Check& each : checks) {
        Findings findings;
        if (hiding.contains(each.after))
            findings.skip("This was not looked at", "mend " + std::string{each.after} + " first");
        else
            run(each, inspection, findings);
        if (hiding.contains(each.after) || findings.hides_what_follows())
            hiding.insert(each.subject);
        for (const Finding& finding : findings.all())
            table.add({std::string{word_for(finding.verdict)}, std::string{each.subject},
                       finding.what, cell_unless_empty(finding.remedy)});
        faults += std::ranges::count(findings.all(), Verdict::fault, &Finding::verdict);
        subjects.emplace_back(each.subject, findings.all());
    }
    table.print();
    if (metrics) write_metrics(*metrics, subjects, faults, inspection);
    if (faults != 0)
        throw Error{faults == 1 ? "There is a fault."
                                : "There are " + std::to_string(faults) + " faults."};
}

namespace {

/// The compiler names a remedy without words.
std::string words_of(Remedy remedy, const RemedyFiles& files) {
    const std::string user{name_of(files.program)};
    const std::string file = files.folder + "/" + short_name(files.program) + ".conf";
    switch (remedy) {
    case Remedy::unknown:
        return {};
    case Remedy::correct_setting:
        return "editor " + file + " (man " + user + " has the form of each setting)";
    case Remedy::correct_host:
        return "Mend the name in the setting database, or its DNS.";
    case Remedy::start_server:
        return "systemctl restart postgresql; journalctl -n 50 -u 'postgresql@*'";
    case Remedy::write_access_lines:
        return "usershellctl init";
    case Remedy::more_connections:
        return "Raise max_connections in postgresql.conf, then systemctl restart postgresql and "
               "usershellctl init.";
    case Remedy::no_pooler:
        return "Name PostgreSQL's own socket or address in the setting database.";
    case Remedy::init:
        return "usershellctl init";
    case Remedy::migrate:
        return "usershellctl migrate";
    case Remedy::other_version:
        return "Install it: apt install ./usershell_VERSION.deb";
    case Remedy::reinstall:
        return "apt install --reinstall ./usershell_*.deb";
    case Remedy::install_curl:
        return "apt install curl";
    case Remedy::restore_rings:
        return "Put the files of " + files.rings + " back from your copy.";
    case Remedy::permit_reading:
        return "chmod go+rx " + files.folder + " " + files.rings + "; chmod go+r " +
               files.public_files + "; chgrp " + user + " " + file + " && chmod g+r " + file +
               "; chmod -R go+rX /usr/share/usershell";
    case Remedy::close_rings:
        return "cd " + files.rings +
               " && chown root:root -- *.secret *.public && chmod 600 -- *.secret && chmod 644 -- "
               "*.public";
    case Remedy::end_lock:
        return as_administrator("postgres",
                                "SELECT pid, usename, query FROM pg_locks JOIN pg_stat_activity "
                                "USING (pid) WHERE mode = 'AccessExclusiveLock' AND granted") +
               " shows who holds it; then SELECT pg_terminate_backend(PID)";
    }
    return {};
}

} // namespace

std::string words_for(Remedy remedy, std::string otherwise, const RemedyFiles& files) {
    std::string words = words_of(remedy, files);
    return words.empty() ? std::move(otherwise) : words;
}

} // namespace usershell::ctl
