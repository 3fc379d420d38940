#include "ctl/check/inspection.hpp"
#include "ctl/system/child.hpp"
#include "runtime/listener.hpp"
#include "store/installation.hpp"

#include <chrono>
#include <cstdlib>

#include <sys/stat.h>
#include <sys/statvfs.h>

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
                       "du -x " + folder + " | sort -n | tail shows what to remove");
    }
}

namespace {

/// A socket of requests, and who may connect besides the user that it is of.
struct Socket {
    std::string program;
    std::string path;
    mode_t closed_to; ///< bits of the mode
    std::string_view mode;
};

void check_socket(const Socket& socket, Inspection& inspection, Findings& findings) {
    if (inspection.broken.contains(socket.program)) return; // said already
    const std::string start = restart_command(socket.program + ".socket");
    struct stat status {};
    if (stat(socket.path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) {
        findings.fault("There is no socket " + socket.path + ".", start);
        inspection.broken.insert(socket.program);
        return;
    }
    if ((status.st_mode & socket.closed_to) != 0)
        findings.fault("Others on this machine may connect to " + socket.path + ".",
                       "chmod " + std::string{socket.mode} + " " + socket.path);
    if (somebody_listens(socket.path)) {
        findings.good(socket.program + " is listened for at " + socket.path + ".");
    } else {
        findings.fault("Nobody listens at " + socket.path + ".", start);
        inspection.broken.insert(socket.program);
    }
}

/// A program that may connect there can have calls begun.
void check_openers_socket(Inspection& inspection, Findings& findings) {
    const Settings* const execute = inspection.settings_of(Program::execute);
    if (execute == nullptr) return;
    check_socket(
        {std::string{name_of(Program::opener)}, execute->opener_socket, S_IWGRP | S_IWOTH, "600"},
        inspection, findings);
}

} // namespace

void check_sockets(Inspection& inspection, Findings& findings) {
    for (const Program program : workers) {
        const Settings* const settings = inspection.settings_of(program);
        const bool own = settings != nullptr && !settings->socket.empty();
        check_socket(
            {std::string{name_of(program)},
             own ? settings->socket : inspection.sockets + "/" + short_name(program) + ".sock",
             S_IWOTH, "660"},
            inspection, findings);
    }
    check_openers_socket(inspection, findings);
}

} // namespace usershell::ctl
