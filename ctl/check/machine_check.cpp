#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"
#include "runtime/descriptor.hpp"
#include "store/installation.hpp"

#include <chrono>
#include <cstdlib>
#include <cstring>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>

namespace usershell::ctl {

namespace {

/// The percentage that is free, of bytes and of inodes.
unsigned long percent_left(const struct statvfs& status) {
    const auto part = [](auto left, auto all) {
        return all == 0 ? 100UL : static_cast<unsigned long>(left) * 100 / all;
    };
    return std::min(part(status.f_bavail, status.f_blocks), part(status.f_favail, status.f_files));
}

constexpr const char* set_the_clock =
    "apt install systemd-timesyncd (if no other is there); timedatectl set-ntp true";

void compare_clocks(store::Lease& store, Findings& findings) {
    constexpr std::chrono::seconds most{5};
    const auto ahead = std::chrono::duration_cast<std::chrono::seconds>(
        store::database_time(store) - std::chrono::system_clock::now());
    findings.check(std::chrono::abs(ahead) <= most, "This machine and the database have one time.",
                   "The database's clock and this machine's differ by " +
                       std::to_string(std::abs(ahead.count())) + " s.",
                   std::string{"On both machines: "} + set_the_clock);
}

} // namespace

void check_clock(Inspection& inspection, Findings& findings) {
    if (inspection.store) compare_clocks(*inspection.store, findings);
    const auto synchronised =
        run_child({{"timedatectl", "show", "--property=NTPSynchronized", "--value"}, {}, {}});
    if (synchronised.status != 0)
        findings.skip("The clock's source", "timedatectl does not say");
    else
        findings.check(synchronised.output == "yes\n", "The clock is set by the network's time.",
                       "Nothing sets this machine's clock.", set_the_clock);
}

void check_disk(Inspection& inspection, Findings& findings) {
    constexpr unsigned long enough = 5;
    for (const std::string& folder : {inspection.settings.rings, std::string{"/var/log"},
                                      std::string{"/var/lib/postgresql"}, std::string{"/"}}) {
        struct statvfs status {};
        if (statvfs(folder.c_str(), &status) != 0) continue; // said elsewhere, if it matters
        const auto left = percent_left(status);
        findings.check(left >= enough,
                       std::to_string(left) + " % are free where " + folder + " is.",
                       "Only " + std::to_string(left) + " % are free where " + folder + " is.",
                       "Make room there: du -x " + folder + " | sort -n | tail");
    }
}

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
