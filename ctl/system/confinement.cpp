#include "ctl/system/confinement.hpp"

#include "base/error.hpp"
#include "runtime/descriptor.hpp"

#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

namespace usershell::ctl {

namespace {

/// Can this process make an Internet socket?
bool has_network() {
    const Descriptor probe{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
    return static_cast<bool>(probe);
}

/// For a process that a unit of systemd has started without a network.
void require_confined(bool with_network) {
    if (!with_network && has_network())
        throw Error{
            "This process can reach the network. Start it by its unit of systemd, which has "
            "none, or allow it with --with-network."};
}

void give_up_rights(const std::string& user, uid_t uid, gid_t gid, bool with_network) {
    if (geteuid() != 0)
        throw Error{"Run this as root, which then becomes " + user + ", or as " + user +
                    ": it reads a secret ring."};
    if (!with_network && unshare(CLONE_NEWNET) != 0)
        throw Error{
            "This process can't be cut off from the network; --with-network leaves it connected."};
    if (setgroups(0, nullptr) != 0 || setgid(gid) != 0 || setuid(uid) != 0)
        throw Error{"This process can't become " + user + "."};
}

} // namespace

void confine(const std::string& user, bool with_network) {
    const passwd* const found = getpwnam(user.c_str());
    if (found == nullptr) throw Error{"The system has no user " + user + ": install the package."};
    if (found->pw_uid == geteuid())
        require_confined(with_network);
    else
        give_up_rights(user, found->pw_uid, found->pw_gid, with_network);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw Error{"This process can't be kept from gaining rights."};
}

} // namespace usershell::ctl
