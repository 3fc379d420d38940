#include "base/ascii.hpp"
#include "base/process/descriptor.hpp"
#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"

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
        return;
    }
    if ((status.st_mode & S_IWOTH) != 0)
        findings.fault("Everybody on this machine may connect to " + path + ".",
                       "It is nginx's alone: mode 0660 and nginx's group.");
    findings.judge(somebody_listens(path), program + " is listened for at " + path + ".",
                   "Nobody listens at " + path + ".", start);
}

ChildResult systemctl(std::vector<std::string> words) {
    words.insert(words.begin(), "systemctl");
    return run_child({std::move(words), {}, {}});
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

} // namespace

void check_sockets(Inspection& inspection, Findings& findings) {
    for (const Program program : workers) {
        const auto settings = inspection.programs.find(program);
        const bool own = settings != inspection.programs.end() && !settings->second.socket.empty();
        check_socket(std::string{name_of(program)},
                     own ? settings->second.socket
                         : inspection.sockets + "/" + short_name(program) + ".sock",
                     findings);
    }
}

void check_units(Inspection& inspection, Findings& findings) {
    std::vector<std::string> units;
    units.reserve(workers.size() + 1);
    for (const Program program : workers)
        units.push_back(std::string{name_of(program)} + ".socket");
    const auto mail = inspection.programs.find(Program::mail);
    if (mail != inspection.programs.end() && !mail->second.smtp_url.empty())
        units.emplace_back("usershell-mail.service");
    for (const std::string& unit : units) {
        const auto state = systemctl({"is-active", unit});
        if (state.output.empty() || first_line(state.output) == "offline") {
            findings.skip("The units", "systemd does not run here");
            return;
        }
        findings.judge(first_line(state.output) == "active", unit + " is active.",
                       unit + " is " + first_line(state.output) + ".",
                       "systemctl enable --now " + unit);
    }
    const auto failed =
        systemctl({"list-units", "--failed", "--plain", "--no-legend", "usershell*"});
    for_each_piece(failed.output, '\n', [&findings](std::string_view line) {
        const std::string unit{line.substr(0, line.find(' '))};
        if (!unit.empty())
            findings.fault(unit + " has failed.", "journalctl -u " + unit + " -n 50");
    });
}

} // namespace usershell::ctl
