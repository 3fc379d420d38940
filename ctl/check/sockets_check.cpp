#include "ctl/check/inspection.hpp"
#include "runtime/descriptor.hpp"

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

} // namespace usershell::ctl
