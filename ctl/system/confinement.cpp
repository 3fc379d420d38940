#include "ctl/system/confinement.hpp"

#include "base/error.hpp"

#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace usershell::ctl {

void confine(const std::string& user, bool with_network) {
    const passwd* const found = getpwnam(user.c_str());
    if (found == nullptr) throw Error{"The system has no user " + user + ": install the package."};
    const uid_t uid = found->pw_uid;
    const gid_t gid = found->pw_gid;
    if (geteuid() != 0)
        throw Error{"This is root's to start: it reads the rings, and becomes " + user + "."};
    if (!with_network && unshare(CLONE_NEWNET) != 0)
        throw Error{"A place without a network can't be made here; --with-network does without."};
    if (setgroups(0, nullptr) != 0 || setgid(gid) != 0 || setuid(uid) != 0 ||
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0)
        throw Error{"This process can't become " + user + "."};
}

} // namespace usershell::ctl
