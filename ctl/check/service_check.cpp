#include "base/ascii.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/check/remedies.hpp"
#include "runtime/descriptor.hpp"

#include <algorithm>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace usershell::ctl {

namespace {

bool somebody_listens(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) return false;
    std::memcpy(address.sun_path, path.data(), path.size());
    const Descriptor probe{socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    return connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

void check_socket(const std::string& program, const std::string& path, Findings& findings) {
    const std::string start = "systemctl start " + program + ".socket";
    struct stat status {};
    if (stat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
        findings.fault("There is no socket " + path + ".", start);
        findings.hide_what_follows();
        return;
    }
    if ((status.st_mode & S_IWOTH) != 0)
        findings.fault("Everybody on this machine may connect to " + path + ".",
                       "It is nginx's alone: mode 0660 and nginx's group.");
    if (somebody_listens(path)) {
        findings.good(program + " is listened for at " + path + ".");
    } else {
        findings.fault("Nobody listens at " + path + ".", start);
        findings.hide_what_follows();
    }
}

/// Of those that a pool's processes and usershell-mail open, with room to spare.
constexpr unsigned long few_files = 1024;

void check_unit(const std::string& name, const Unit& unit, Findings& findings) {
    const std::string journal = name == "nginx.service"
                                    ? "nginx -t; ss -ltnp shows another program that has its port."
                                    : "journalctl -u " + name + " -n 50";
    const auto dead = [&](const std::string& state) {
        const auto sentence = last_failure(name);
        findings.fault(name + state + (sentence.empty() ? "." : ": " + sentence),
                       remedy_for(sentence, journal));
        findings.hide_what_follows();
    };
    if (unit.active == "failed") return dead(" has failed");
    const bool starts_again = unit.active == "activating" && unit.restarts != "0";
    if (unit.sub.starts_with("auto-restart") || (starts_again && !unit.restarts.empty()))
        return dead(" ends at each start");
    const auto files = parse_number<unsigned long>(unit.files);
    if (name.ends_with(".service") && unit.active == "active" && files && *files < few_files)
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

} // namespace

void check_sockets(Inspection& inspection, Findings& findings) {
    for (const Program program : workers) {
        const Settings* const settings = inspection.settings_of(program);
        const bool own = settings != nullptr && !settings->socket.empty();
        check_socket(std::string{name_of(program)},
                     own ? settings->socket
                         : inspection.sockets + "/" + short_name(program) + ".sock",
                     findings);
    }
}

void check_units(Inspection& inspection, Findings& findings) {
    inspection.units = units();
    if (inspection.units.empty()) {
        findings.skip("The units", "systemd does not run here");
        return;
    }
    std::vector<std::string> needed{"nginx.service"};
    for (const Program program : workers)
        needed.push_back(std::string{name_of(program)} + ".socket");
    const Settings* const mail = inspection.settings_of(Program::mail);
    if (mail != nullptr && !mail->smtp_url.empty()) needed.emplace_back("usershell-mail.service");
    for (const auto& [name, unit] : inspection.units) check_unit(name, unit, findings);
    for (const std::string& name : needed) {
        const Unit& unit = inspection.units[name];
        if (unit.active == "active") {
            findings.good(name + " is active.");
        } else if (unit.active == "inactive") {
            findings.fault(name + " is inactive.", "systemctl enable --now " + name);
            if (!name.starts_with("usershell-mail")) findings.hide_what_follows();
        }
    }
    for (const Program program : workers)
        check_pool(std::string{name_of(program)}, inspection.units, findings);
}

} // namespace usershell::ctl
