// `usershellctl check`: its checks, and what they find.
#pragma once

#include "base/error.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/command.hpp"
#include "domain/settings/config.hpp"

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace usershell::ctl {

// Units as systemd has them, and units of our own that last for one check.

/// A unit's properties, as `systemctl show` names them.
struct Unit {
    std::map<std::string, std::string, std::less<>> properties;

    /// Empty for one that was not asked for or is not set.
    const std::string& operator[](std::string_view name) const;
    bool is_active() const { return (*this)["ActiveState"] == "active"; }
};

using Units = std::map<std::string, Unit>;

/// Those units by name; patterns find what systemd has in memory. Empty: systemd does not run here.
Units show_units(const std::vector<std::string>& names, const std::string& properties);

/// The [Service] lines of the unit and its drop-ins as they are on disk now, but for those with
/// which it would do more than one command: its sockets, what runs before and after.
std::string service_lines(std::string_view text);

/// With a socket its pool, while which runs no socket begins.
std::string restart_command(const std::string& unit);

/// The whole of a file; empty: it can't be read.
std::string text_of(const std::string& file);

/// A unit of this text in /run/systemd/system, until this object is destroyed.
class TemporaryUnit {
public:
    TemporaryUnit(std::string name, const std::string& text);
    ~TemporaryUnit();
    TemporaryUnit(const TemporaryUnit&) = delete;
    TemporaryUnit& operator=(const TemporaryUnit&) = delete;

    const std::string& name() const { return name_; }

private:
    std::string name_;
    std::string path_;
};

// The results of `usershellctl check`: a line for each thing checked, and for a fault how to mend
// it.

enum class Verdict { good, fault, skipped };

struct Finding {
    Verdict verdict;
    std::string what;
    std::string remedy; ///< of a fault; of what was skipped: why
};

class Findings {
public:
    void good(std::string what) { all_.push_back({Verdict::good, std::move(what), {}}); }
    void fault(std::string what, std::string remedy) {
        all_.push_back({Verdict::fault, std::move(what), std::move(remedy)});
    }
    void skip(std::string what, std::string why) {
        all_.push_back({Verdict::skipped, std::move(what), std::move(why)});
    }
    /// good() or fault(), by `is_good`.
    void check(bool is_good, std::string good_words, std::string bad_words, std::string remedy) {
        if (is_good)
            good(std::move(good_words));
        else
            fault(std::move(bad_words), std::move(remedy));
    }

    /// After a fault: other subjects would only show what follows from it.
    void hide_what_follows() { hides_ = true; }
    bool hides_what_follows() const { return hides_; }

    const std::vector<Finding>& all() const { return all_; }

private:
    bool hides_ = false;
    std::vector<Finding> all_;
};

/// The owner of the files that a remedy is about.
struct RemedyFiles {
    Program program = Program::ctl;
    std::string folder = "/etc/usershell"; ///< of the settings files
    std::string rings = "/etc/usershell/rings";
    std::string public_files = rings + "/*.public"; ///< that the program reads
};

/// How that is done, as a command where there is one; unknown: `otherwise`.
std::string words_for(Remedy remedy, std::string otherwise, const RemedyFiles& files = {});

/// A command that runs these statements as PostgreSQL's superuser.
std::string as_administrator(const std::string& database, const std::string& sql);

// The checks of `usershellctl check`. Each function adds its findings; an exception that it throws
// becomes a finding, too (check.cpp, which has their order).

/// The programs that answer requests of nginx: each has a file of settings, a socket and a unit of
/// its name.
inline constexpr std::array workers{Program::auth, Program::manage, Program::execute};
/// All whose processes share a socket of requests: those and usershell-opener.
inline constexpr std::array servers{Program::auth, Program::manage, Program::execute,
                                    Program::opener};

/// "auth" of usershell-auth, as in auth.conf and auth.sock.
inline std::string short_name(Program program) {
    if (program == Program::ctl) return "ctl";
    return std::string{name_of(program).substr(name_of(program).find('-') + 1)};
}

/// The unit of its first process.
inline std::string unit_of(Program program) {
    return std::string{name_of(program)} + (program == Program::mail ? ".service" : "@1.service");
}

/// There is no time for another question; it becomes no fault.
struct OutOfTime {};

struct Inspection {
    const Settings& settings; ///< usershellctl's own
    std::string folder;       ///< of the programs' settings files: auth.conf …
    std::string sockets;      ///< folder of auth.sock and the others
    std::string authority; ///< certificates to trust at the service's address; empty: the system's
    /// The settings of those programs whose file could be read.
    std::map<Program, Settings> programs;
    std::optional<OperatorStore> store; ///< null: the database can't be used
    Units units;                        ///< empty: systemd does not run here
    std::set<std::string> broken;       ///< programs, or nginx: what needs them is not asked

    /// Nullptr when its file could not be read.
    const Settings* settings_of(Program program) const {
        const auto found = programs.find(program);
        return found == programs.end() ? nullptr : &found->second;
    }
    /// Seconds for another program to answer in, for curl: half of what is left. Throws OutOfTime.
    std::string time_left() const;
    std::chrono::steady_clock::time_point end; ///< by which all is to be looked at

    // For metrics; null: not known.
    std::optional<long long> certificate_end; ///< in seconds since 1970
    std::optional<long long> rings_that_differ;
};

/// Of usershell and nginx.
Units own_units();

/// In the order of the check.
using CheckedSubjects = std::vector<std::pair<std::string_view, std::vector<Finding>>>;

/// In Prometheus's text format (docs/metrics.md). The file is replaced whole. Throws Error.
void write_metrics(const std::string& file, const CheckedSubjects& subjects, long long faults,
                   const Inspection& inspection);

// The first three fill members of Inspection: programs, store, units.
void check_settings(Inspection& inspection, Findings& findings);
void check_database(Inspection& inspection, Findings& findings);
void check_separation(Inspection& inspection, Findings& findings);
void check_start(Inspection& inspection, Findings& findings);
void check_units(Inspection& inspection, Findings& findings);
void check_server(Inspection& inspection, Findings& findings);
void check_nginx(Inspection& inspection, Findings& findings);
void check_rings(Inspection& inspection, Findings& findings);
void check_connections(Inspection& inspection, Findings& findings);
void check_people(Inspection& inspection, Findings& findings);
void check_sockets(Inspection& inspection, Findings& findings);
void check_network(Inspection& inspection, Findings& findings);
void check_address(Inspection& inspection, Findings& findings);
void check_mail(Inspection& inspection, Findings& findings);
void check_clock(Inspection& inspection, Findings& findings);
void check_disk(Inspection& inspection, Findings& findings);

} // namespace usershell::ctl
